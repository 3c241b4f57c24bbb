"""What is said of proofs of searches -> the same in Chinese."""

PROOF: dict[str, str] = {
    "print a proof of the search, as JSON, for yuanwen verify --proof FILE": (
        "输出这次检索的证明（JSON），日后用 yuanwen verify --proof 文件 核对"
    ),
    "a proof holds neither surroundings nor scores": "证明里不含上下文，也不含分数",
    "Leave out --before, --after and --explain.": "请去掉 --before、--after 和 --explain。",
    "a proof is of at most {n} passages": "一份证明最多含 {n} 个片段",
    "the index has not seen the latest changes, and a proof needs them all": (
        "最近的改动还没有全部进入索引，此时不能出具证明"
    ),
    # -------------------------------------------------------------------------------- a file that is no proof
    "this is no proof of a search: {problem}": "这不是检索证明：{problem}",
    "Make one with: yuanwen search WORDS --proof > proof.json": "请这样生成：yuanwen search 词语 --proof > proof.json",
    "it is nested too deep": "嵌套太深",
    "it is too long": "太长",
    "it is not JSON": "不是 JSON",
    "it is not JSON, or was cut off, at character {n}": "第 {n} 个字符处不是 JSON，或被截断",
    "it does not say that it is one": "其中没有写明它是检索证明",
    "it has the field {field} twice": "字段 {field} 出现了两次",
    "it has no field {field}": "缺少字段 {field}",
    "its field {field} cannot be what it says": "字段 {field} 的内容不合规定",
    "the proof is of version {version}, which this Yuanwen does not know": "证明是第 {version} 版格式，本程序不认识",
    "the proof was changed after it was made: {field}": "证明在生成之后被改过：{field}",
    "Use the file as it was made; nothing else can be checked.": "请使用原样的文件，否则无法核对。",
    # ------------------------------------------------------------------------------------ a proof that is checked
    "The proof holds: the same versions give the same result": "证明成立：同样的版本，同样的结果",
    "The proof holds: it was made with another library, which holds the same versions": (
        "证明成立：它由另一个资料库生成，但所含版本相同"
    ),
    "The proof was made with another library": "这份证明是由另一个资料库生成的",
    "If you have that one, name it with -L.": "若有那个资料库，请用 -L 指定。",
    "The library has changed since the proof was made": "证明生成之后，资料库有了变化",
    "The same versions do not give the same result": "版本相同，结果却不同",
    "The result is the same: {found}": "结果相同：{found}",
    "The result is not the same": "结果不同",
    "The result is not the same: then {then}, now {now}": "结果不同：当时{then}，现在{now}",
    "Found no longer: {ids}": "不再找到的：{ids}",
    "Found only now: {ids}": "现在才找到的：{ids}",
    "The passages are the same, in another order": "片段相同，但次序不同",
    "Files on the disk, or what can be read of them, are not as they were then": (
        "磁盘上的文件，或其中可读的部分，与当时不同"
    ),
    "Versions searched: {then} then, {now} now; the proof does not name them": (
        "检索的版本：当时 {then} 个，现在 {now} 个；证明里没有逐一列出"
    ),
    "Documents that changed since:": "此后有变化的文档：",
    "{source}: {change}": "{source}：{change}",
    "added": "新增",
    "changed": "有改动",
    "gone": "已不在",
    "{n} document was forgotten": "另有 {n} 篇已被移除",
    "{n} documents were forgotten": "另有 {n} 篇已被移除",
    "Asked at {time}: {query} ({mode})": "检索时间 {time}：{query}（{mode}）",
    "{program}: {then} then, {now} now": "{program}：当时 {then}，现在 {now}",
}
