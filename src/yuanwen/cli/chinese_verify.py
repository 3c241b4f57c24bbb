"""What is said of citing, and of checking an answer -> the same in Chinese."""

VERIFY: dict[str, str] = {
    # ----------------------------------------------------------------------------------------- citing
    "cite a passage, or words of it, so that anyone can check it against the file": (
        "引用片段或其中的文字，谁都能拿原文件核对"
    ),
    "The first line is a receipt: yuanwen verify --against FILE needs nothing else.": (
        "第一行是凭据，凭它和原文件就能核对：yuanwen verify --against 文件"
    ),
    "ID [QUOTE] [OPTIONS]": "编号 [引文] [选项]",
    "QUOTE": "引文",
    "STYLE": "格式",
    "print one thing alone: receipt, plain, markdown or gbt7714": (
        "只输出一种参考文献格式：plain（纯文字）、markdown 或 gbt7714"
    ),
    "Plain": "纯文字",
    "Cited are the original words, which differ in {what}": "引用的是原文，与所给文字的差别：{what}",
    "{source} has {n} passages": "{source} 有 {n} 个片段",
    "Name one of them: yuanwen show {source}": "请指明其中一个：yuanwen show {source}",
    "The nearest that it holds: {words}": "最接近的原文：{words}",
    "there is no receipt in {text}": "“{text}”里没有凭据",
    "yuanwen cite prints them.": "凭据由 yuanwen cite 给出。",
    "the receipt for {source} is of version {number}, which this Yuanwen does not know": (
        "{source} 的凭据是第 {number} 版格式，这个版本的 Yuanwen 不认识"
    ),
    "Install a newer one: pip install -U yuanwen": "请更新：pip install -U yuanwen",
    "the receipt for {source} is damaged: {field} is missing": "{source} 的凭据已损坏：缺少 {field}",
    "the receipt for {source} is damaged at {part}": "{source} 的凭据已损坏，坏在 {part}",
    "the receipt for {source} is damaged: characters were changed": "{source} 的凭据已损坏：有字符被改动",
    "Copy it again, whole.": "请重新完整复制。",
    # ------------------------------------------------------------------------------------ verification
    "check every citation and quotation of an answer": "核对回答里的每条引文和出处",
    "A FILE holds an answer, as text or Markdown; - or none reads what is piped in. The exit status is 1 where"
    " something is not supported.": (
        "文件里是回答，文本或 Markdown；- 或不写文件则读管道送来的内容。有一处没有依据，退出状态就是 1。"
    ),
    "[FILE]... [OPTIONS]": "[文件]... [选项]",
    "check this one quotation instead": "只核对这一条引文",
    "with --quote: the passage that it is said to be from": "与 --quote 同用：引文自称出自的片段",
    "check against this file or folder, with no library": "只对照这个文件或文件夹核对，不用资料库",
    "leave alone what is stated without a quotation": "不追究没有引文的陈述",
    "run a search that was proved again": "重跑一次留有证明的检索",
    "--id says where a quotation is from": "--id 说明引文出自何处",
    "Add: --quote TEXT": "请加上：--quote 文字",
    "one thing is verified at a time": "一次只核对一样",
    "Give files, or --quote, or --proof.": "文件、--quote、--proof 三者选一",
    "no answer was given": "没有给出回答",
    "Name a file, or pipe it in: ... | yuanwen verify": "请写出文件，或用管道送入：… | yuanwen verify",
    "{path} is larger than any answer": "{path} 太大，不像是回答",
    "{path} is not text": "{path} 不是文本",
    "{path} is not text, but {kind}": "{path} 不是文本，而是 {kind}",
    "Name the files in it that hold answers.": "请写出其中哪些文件是回答。",
    "--quotes-only is for whole answers": "--quotes-only 只用于整篇回答",
    "Leave it out.": "请去掉它。",
    "a proof is checked against a library": "检索证明只能对照资料库核对",
    "Leave out --against.": "请去掉 --against。",
    "--password is for files that are read now": "--password 用于现在要读的文件",
    "Add: --against FILE": "请加上：--against 文件",
    "the quotation is empty": "引文是空的",
    "Say which words: --quote TEXT": "请写明文字：--quote 文字",
    "Give the answer as text or Markdown.": "请给出文本或 Markdown 格式的回答",
    "verbatim": "逐字一致",
    "the same words": "文字一致",
    "altered": "有改动",
    "stands elsewhere": "原文在别处",
    "not found": "查无此文",
    "too short to prove anything": "太短，证明不了什么",
    "no longer current": "已不是现行文字",
    "unknown citation": "出处不存在",
    "without a quotation": "没有引文",
    "{n} altered": "{n} 处有改动",
    "{n} standing elsewhere": "{n} 处原文在别处",
    "{n} not found": "{n} 处查无此文",
    "{n} too short": "{n} 处太短",
    "{n} no longer current": "{n} 处已不是现行文字",
    "{n} with an unknown citation": "{n} 处出处不存在",
    "{n} without a quotation": "{n} 处没有引文",
    "full width and half width": "全角半角",
    "the form of characters": "字形",
    "case": "大小写",
    "traditional and simplified characters": "繁简",
    "punctuation": "标点",
    "white space": "空白",
    "hyphens at line ends": "行末连字符",
    "markup": "标记",
    "number": "数字",
    "date": "日期",
    "name": "名称",
    "negation": "否定",
    "words": "文字",
    "There is nothing to verify: no quotation, no citation, and nothing stated.": (
        "没有可核对的：没有引文，没有出处，也没有陈述。"
    ),
    "Supported: the one claim stands.": "通过：仅有的 1 处有据。",
    "Supported: all {n} claims stand.": "通过：{n} 处全部有据。",
    "Not supported: {good} of {n} claims stand; {rest}.": "未通过：{n} 处中 {good} 处有据；{rest}。",
    "quoted": "引文",
    "original": "原文",
    "then": "当时",
    "now": "现在",
    "receipt for {source}": "{source} 的凭据",
    "{n} supported": "{n} 个通过",
    "{n} not supported": "{n} 个未通过",
    "{n} with nothing to verify": "{n} 个没有可核对的",
    "it cites a passage, and quotes nothing from it": "有出处，但没有引用其中的文字",
    "at least 6 Han characters or 4 words are needed, or the whole passage": (
        "至少要 6 个汉字或 4 个单词，或者整个片段"
    ),
    "{kind}: {original} is left out": "{kind}：漏了 {original}",
    "{kind}: {quoted} is added": "{kind}：多了 {quoted}",
    "{kind}: {original} became {quoted}": "{kind}：{original} 变成 {quoted}",
    "“{quote}” is cut off inside a number or right after a negation: “{original}”": (
        "“{quote}”断在数字中间，或略去了前面的否定词：“{original}”"
    ),
    "The file has changed since": "文件后来改过",
    "The file is not the one that was cited": "文件已不是当时引用的那一份",
    "Run yuanwen sync, and verify again.": "请先运行 yuanwen sync，再核对",
}
