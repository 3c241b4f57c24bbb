"""What the package says -> the same in Chinese. Templates as they stand in the code, with the same fields."""

CHINESE: dict[str, str] = {
    # ------------------------------------------------------------------------------------ the command line
    "Usage: {line}": "用法：{line}",
    "Usage: {program} VERB ...": "用法：{program} 命令 …",
    "Verbs:": "命令：",
    "Options:": "选项：",
    "Options of every verb:": "通用选项：",
    "Examples:": "示例：",
    "{brief}.": "{brief}。",
    "Yuanwen brings back the original words: it finds passages in your documents, offline.": (
        "原文（Yuanwen）：离线检索自己的文档，一字不差地给出原文和出处。"
    ),
    "Start with: yuanwen add FOLDER, then: yuanwen search WORDS": (
        "先收录：yuanwen add 文件夹；再检索：yuanwen search 词语"
    ),
    "PATH": "路径",
    "MODE": "方式",
    "TAG": "标签",
    "GLOB": "通配符",
    "TYPE": "类型",
    "WHEN": "时间",
    "FILE": "文件",
    "SOURCE": "来源",
    "QUERY... [OPTIONS]": "词语… [选项]",
    "PATH... [OPTIONS]": "路径… [选项]",
    "ID... [OPTIONS]": "编号… [选项]",
    "SOURCE...": "来源…",
    "the library file; else YUANWEN_LIBRARY, else the one in your data folder": (
        "资料库文件；不写则用 YUANWEN_LIBRARY，再不然用个人数据文件夹里的那个"
    ),
    "print one JSON document": "输出一份 JSON",
    "print results and errors only": "只输出结果和错误",
    "print all there is to know": "输出全部细节",
    "print the version and exit": "显示版本",
    "print this page and exit": "显示本页",
    # ---------------------------------------------------------------------------------------------- verbs
    "take in files and folders": "收录文件和文件夹",
    "The library is made if it is not there. Doing it again is harmless.": ("没有资料库就新建一个；重复执行无妨。"),
    "a tag for all that is taken in": "给收录的内容加上标签",
    "take in only files like this": "只收录这样的文件",
    "leave out files like this": "不收录这样的文件",
    "the index of a new library; fts5 keeps all in one file": "新资料库用哪种索引；fts5 把一切存在一个文件里",
    "bring the library in step with the disk: new, changed, gone": "让资料库与磁盘一致：新增、改动、删除",
    "say what would be done, and do nothing": "只说会做什么，不真做",
    "go ahead where most files of a folder are gone": "文件夹里大多数文件不见了也照样移除",
    "find passages": "检索片段",
    'The query is plain words, and may use "a phrase", AND, OR, NOT, -word, ( ), redis*,'
    " NEAR(a b, 5), title:, tag:, source: and type:.": (
        '直接写词语即可；也可以用 "短语"、AND、OR、NOT、-排除、( )、redis*、NEAR(缓存 穿透, 5)、'
        "title:、tag:、source:、type:。"
    ),
    "ranked (the default), exact (the very string), expand, raw, semantic or hybrid": (
        "ranked（按相关度，默认）、exact（逐字）、expand（带上下文）、raw（整条记录）、semantic 或 hybrid"
    ),
    "passages at most (10)": "最多几个片段（10）",
    "passages to leave out at the start": "跳过开头几个片段",
    "passages to show before each": "每个片段之前再显示几个",
    "passages to show after each": "每个片段之后再显示几个",
    "only documents with this tag": "只查带这个标签的文档",
    "only from sources like this: *.md": "只查这样的来源：*.md",
    "only of this type: md, pdf, text/html": "只查这种类型：md、pdf、text/html",
    "only from then on: 2026-11, 7d, yesterday": "从何时起：2026-11、最近3天、昨天、上周",
    "only up to then": "到何时止",
    "superseded versions as well": "连旧版本一起查",
    "show what each score is made of": "显示分数的构成",
    "print passages, or whole documents, with their surroundings": "显示片段或整篇文档，可带上下文",
    "An ID is a passage id, the label of a record, or a source.": ("编号可以是片段编号、记录自带的编号，或来源。"),
    "list the documents": "列出文档",
    "list the tags": "列出标签",
    "show the health of the library, and what was skipped and why": ("显示资料库的状况，以及哪些文件没有收录、为什么"),
    "check the library and its index for damage": "检查资料库和索引有无损坏",
    "make the index anew if it is not sound": "索引若有问题就重建",
    "give back space on the disk": "释放磁盘空间",
    "drop superseded versions; citations of them can no longer be checked": (
        "丢弃旧版本；引用旧版本的出处将无法再核对"
    ),
    "with --drop-old: only those taken in before: 2026-01, 90d": ("与 --drop-old 连用：只丢弃此前收录的：2026-01、90d"),
    "remove documents, every version and every trace of them": "移除文档，连同一切版本和痕迹",
    "write the whole library to a file of JSON Lines": "把整个资料库写成 JSON Lines 文件",
    "take in what `export` wrote": "读入 export 写出的文件",
    "show what works on this machine, and how to mend what does not": ("检查这台机器：哪些可用，不可用的怎样修好"),
    "print the script that completes commands in bash, zsh or fish": "输出 bash、zsh 或 fish 的命令补全脚本",
    # ------------------------------------------------------------------------------------------- misuse
    "there is no verb {verb}": "没有 {verb} 这个命令",
    "To search for it, write: yuanwen search {verb}": "要检索它，请写：yuanwen search {verb}",
    "Did you mean {near}?": "是不是想写 {near}？",
    "there is no option {option}": "没有 {option} 这个选项",
    "the option {option} takes no value": "选项 {option} 后面不带值",
    "the option {option} needs a value": "选项 {option} 后面要有值",
    "{name} is missing": "缺少 {name}",
    "{name}: no such choice": "{name} 没有这个取值",
    "{name} needs a whole number, {least} or more": "{name} 要用不小于 {least} 的整数",
    "See: yuanwen {verb}--help": "用法见：yuanwen {verb}--help",
    "Choose one of: {choices}.": "可选：{choices}。",
    "cannot tell which shell this is": "看不出用的是哪种 shell",
    "Name it: yuanwen completion bash": "请写明：yuanwen completion bash",
    "a fault of ours: {kind}: {problem}": "程序内部出错：{kind}：{problem}",
    "Nothing you did wrong; run it again with -v and report what it prints.": (
        "这不是你的错；请加上 -v 再运行一次，并把输出报告给我们。"
    ),
    "Check the path, its permissions, and the space on the disk.": "请检查路径、权限和磁盘空间。",
    # ------------------------------------------------------------------------------------------- answers
    "paragraph {n}": "第 {n} 段",
    "page {n}": "第 {n} 页",
    "[changed]": "[已改动]",
    "[missing]": "[已不在]",
    ", ": "、",
    "{n} passage found": "找到 {n} 个片段",
    "{n} passages found": "找到 {n} 个片段",
    "at least {n} passages found": "至少找到 {n} 个片段",
    "; ": "；",
    "shown: {first} to {last}": "显示第 {first} 至 {last} 个",
    "more: --offset {n}": "后面的请加 --offset {n}",
    "Searched {passages:,} passages of {documents:,} documents in {ms:.1f} ms": (
        "检索了 {documents:,} 篇文档的 {passages:,} 个片段，用时 {ms:.1f} 毫秒"
    ),
    "Nothing further: {n} passages in all.": "没有更多了：一共 {n} 个片段。",
    "Nothing found: the library is empty.": "没有找到：资料库是空的。",
    "Nothing found, but these files have changed or gone since they were indexed:": (
        "没有找到；不过下列文件在收录之后改动过或已不在："
    ),
    "Nothing found, but these files could not be searched:": "没有找到；不过下列文件没能检索：",
    "Nothing found: everything is indexed and current, and no passage has these words.": (
        "没有找到：全部文件都已收录且是最新的，没有哪个片段含有这些词语。"
    ),
    "Words that occur nowhere: {words}": "从未出现的词语：{words}",
    "Perhaps you mean: {words}": "是不是想找：{words}",
    "Add documents with: yuanwen add FOLDER": "请先收录文档：yuanwen add 文件夹",
    "Bring the library up to date with: yuanwen sync": "请更新资料库：yuanwen sync",
    "Make them readable, then run: yuanwen sync": "请先让这些文件可读，再运行：yuanwen sync",
    "Try fewer words, or other words for the same thing.": "可以少写几个词，或换一种说法。",
    # ------------------------------------------------------------------------------------------- reports
    "looking for files": "正在查找文件",
    "{n} file": "{n} 个文件",
    "{n} files": "{n} 个文件",
    "{n} passage": "{n} 个片段",
    "{n} passages": "{n} 个片段",
    "{n} character": "{n} 个字符",
    "{n} characters": "{n} 个字符",
    "{files}: {indexed:,} indexed, {unchanged:,} unchanged, {skipped:,} skipped": (
        "{files}：收录 {indexed:,} 个，未变 {unchanged:,} 个，跳过 {skipped:,} 个"
    ),
    "{n} document removed": "移除 {n} 篇文档",
    "{n} documents removed": "移除 {n} 篇文档",
    "{passages} in {seconds:.1f} s": "写入 {passages}，用时 {seconds:.1f} 秒",
    "Dry run: nothing was changed": "仅为试运行，没有作任何改动",
    "Skipped:": "跳过的文件：",
    "{name} ({note})": "{name}（{note}）",
    "{reason} ({n})": "{reason}（{n} 个）",
    "... and {n} more (-v names them all)": "……另有 {n} 个（加 -v 全部列出）",
    # --------------------------------------------------------------------------------------------- about
    "TITLE": "标题",
    "PASSAGES": "片段",
    "DATE": "日期",
    "DOCUMENTS": "文档",
    "The library is empty. Add documents with: yuanwen add FOLDER": ("资料库是空的。请先收录文档：yuanwen add 文件夹"),
    "There are no tags. Give them with: yuanwen add FOLDER --tag NAME": (
        "还没有标签。可以这样加上：yuanwen add 文件夹 --tag 标签"
    ),
    "Library": "资料库",
    "Documents": "文档",
    "Versions": "版本",
    "Passages": "片段",
    "Characters": "字符",
    "Size": "大小",
    "Index": "索引",
    "Format": "格式",
    "{library} and the index {index}": "{library}，索引 {index}",
    "up to date": "已是最新",
    "{n} change behind": "落后 {n} 次改动",
    "{n} changes behind": "落后 {n} 次改动",
    "Folders and files kept in step:": "保持同步的文件夹和文件：",
    "Changed or gone since they were indexed (run: yuanwen sync):": (
        "收录之后改动过或已不在（请运行：yuanwen sync）："
    ),
    "Files with bytes that could not be read as text:": "含有无法解读的字节的文件：",
    # -------------------------------------------------------------------------------------------- upkeep
    "The library is sound": "资料库完好",
    "{n} passage checked": "检查了 {n} 个片段",
    "{n} passages checked": "检查了 {n} 个片段",
    "Problems:": "发现问题：",
    "Repaired:": "已修复：",
    "Run: yuanwen check --repair. If that does not help, restore a copy, or make the library anew.": (
        "请运行：yuanwen check --repair。若仍不行，请恢复备份，或重新建立资料库。"
    ),
    "{before} before, {after} after": "整理前 {before}，整理后 {after}",
    "dropped: {versions:,} superseded versions, {passages:,} passages": (
        "丢弃旧版本 {versions:,} 个、片段 {passages:,} 个"
    ),
    "removed: {documents:,} documents, {versions:,} versions, {passages:,} passages": (
        "已移除：文档 {documents:,} 篇，版本 {versions:,} 个，片段 {passages:,} 个"
    ),
    "Nothing of them is left in the library or its index": "资料库和索引里都不再有它们的任何内容",
    "{n} document": "{n} 篇文档",
    "{n} documents": "{n} 篇文档",
    "{documents} written to {file}": "已把 {documents}写到 {file}",
    # -------------------------------------------------------------------------------------------- doctor
    "Python": "Python",
    "library": "资料库",
    "terminal": "终端",
    "formats": "可收录的格式",
    "formats to come": "以后支持的格式",
    "{version} is too old": "{version} 太旧",
    "Install Python {least} or later.": "请安装 Python {least} 或更新的版本。",
    "cannot be loaded: {problem}": "无法加载：{problem}",
    'Run: "{python}" -m pip install --force-reinstall {package}': (
        '请运行："{python}" -m pip install --force-reinstall {package}'
    ),
    "{path} is not there yet; the first `yuanwen add` makes it": ("{path} 还不存在；第一次 yuanwen add 时会建立"),
    "{path} is not there, and {folder} cannot be written to": "{path} 不存在，而 {folder} 不可写",
    "Name another place with -L or the variable YUANWEN_LIBRARY.": ("请用 -L 或环境变量 YUANWEN_LIBRARY 指定别处。"),
    "{path}: format {format}, index {index}, documents: {documents}": (
        "{path}：格式 {format}，索引 {index}，文档 {documents} 篇"
    ),
    "{path} can be searched, but not be written to": "{path} 可以检索，但不可写",
    "Give yourself the right to write to {path} and its folder.": "请给自己 {path} 及其所在文件夹的写权限。",
    "{encoding} has no Chinese characters; UTF-8 is printed all the same": ("{encoding} 不含汉字；程序仍会输出 UTF-8"),
    "Run: chcp 65001": "请运行：chcp 65001",
    "Run: export LC_ALL=C.UTF-8": "请运行：export LC_ALL=C.UTF-8",
    # ---------------------------------------------------------------------------------- the library's errors
    "no library at {path}": "{path} 处没有资料库",
    "Make one with: yuanwen -L {path} add FOLDER": "请先建立：yuanwen -L {path} add 文件夹",
    "{path} is not a Yuanwen library": "{path} 不是原文资料库",
    "Name another file with -L.": "请用 -L 指定别的文件。",
    "cannot create {path}: {error}": "无法建立 {path}：{error}",
    "Choose another place with -L.": "请用 -L 指定别处。",
    "cannot open {path}": "无法打开 {path}",
    "Check the path and its permissions.": "请检查路径和权限。",
    "{path} was made by a newer Yuanwen": "{path} 是由更新版本的原文建立的",
    "Update with: pip install -U yuanwen": "请升级：pip install -U yuanwen",
    "{path} was made with the index {kind}": "{path} 建立时用的索引是 {kind}",
    "Leave out --index.": "请去掉 --index。",
    "there is no index {kind}": "没有 {kind} 这种索引",
    "Choose one of: {kinds}.": "可选：{kinds}。",
    "{path} is busy: another process has been writing for {seconds} seconds": (
        "{path} 正忙：另一个进程已连续写入 {seconds} 秒"
    ),
    "the index is busy: another process has been writing for {seconds} seconds": (
        "索引正忙：另一个进程已连续写入 {seconds} 秒"
    ),
    "Try again when it has finished.": "请等它结束后再试。",
    "no passage or document {name}": "没有片段或文档 {name}",
    "Look it up with: yuanwen search or yuanwen list": "请用 yuanwen search 或 yuanwen list 查找",
    "no document {source}": "没有文档 {source}",
    "See what there is with: yuanwen list": "请用 yuanwen list 查看有哪些",
    "no file or folder {path}": "没有文件或文件夹 {path}",
    "no file {path}": "没有文件 {path}",
    "Check the spelling.": "请检查拼写。",
    "{root}: {reason}; nothing of it was removed": "{root}：{reason}；未从中移除任何内容",
    "If that is meant: yuanwen sync --allow-mass-removal": ("若确实如此，请运行：yuanwen sync --allow-mass-removal"),
    "{gone} of its {all} files are gone": "其中 {all} 个文件有 {gone} 个不见了",
    "there is no mode {mode}": "没有 {mode} 这种检索方式",
    "Choose one of: {modes}.": "可选：{modes}。",
    "limit must be 1 or more, offset, before and after 0 or more": ("limit 至少为 1，offset、before、after 至少为 0"),
    "Change the number.": "请改用别的数。",
    "the query is empty": "检索词是空的",
    "Say what to look for.": "请写明要找什么。",
    "cannot read the time {text}": "看不懂时间 {text}",
    "Write 2026-11-30, 2026-11, 7d, 3w, yesterday or 上周.": ("请写成 2026-11-30、2026-11、7d、最近3天、昨天或上周。"),
    "{path} is not an export of Yuanwen: line {number}: {problem}": (
        "{path} 不是原文导出的文件：第 {number} 行：{problem}"
    ),
    "Nothing was taken in.": "没有读入任何内容。",
    "cannot write {path}: {error}": "无法写入 {path}：{error}",
    "Choose another place.": "请换个地方。",
    # --------------------------------------------------------------------------------------------- notes
    "the operators in the query were taken as plain text": "检索词里的运算符已按普通文字处理",
    "no passage has all that the query requires; searched for any of its words": (
        "没有片段同时满足全部条件，已改为检索其中任意词语"
    ),
    "the library has no vectors: hybrid searched by words alone": "资料库没有向量，hybrid 仅按词语检索",
    "there are passages that match, but the filters leave them out": "有符合的片段，但被筛选条件排除了",
    "{path} is a folder": "{path} 是文件夹",
    "{path} is damaged: {error}": "{path} 已损坏：{error}",
    "Put back a copy of it.": "请换回它的备份。",
    "Name a file to write to.": "请指定要写入的文件。",
    "some of the latest changes are not indexed yet": "最近的改动还有一部分没有进入索引",
    "the index was made by another release: run yuanwen check --repair": (
        "索引是由另一个版本建立的：请运行 yuanwen check --repair"
    ),
    # --------------------------------------------------------------------------------- why a file is skipped
    "symbolic link": "符号链接",
    "Add its target instead.": "请改为收录它指向的文件。",
    "it may hold secrets": "可能含有机密",
    "Files with such a name are never taken in.": "这样命名的文件一律不收录。",
    "hidden": "隐藏文件",
    "folder of a program": "程序自用的文件夹",
    "ignored by .gitignore": "被 .gitignore 忽略",
    "ignored by .yuanwenignore": "被 .yuanwenignore 忽略",
    "Add it by its own path to take it in.": "要收录它，请直接写出它的路径。",
    "left out by --include or --exclude": "被 --include 或 --exclude 排除",
    "Change these options to take it in.": "要收录它，请改动这两个选项。",
    "not a regular file": "不是普通文件",
    "Only files and folders can be taken in.": "只能收录文件和文件夹。",
    "empty file": "空文件",
    "It will be taken in once it holds something.": "有内容之后就会收录。",
    "too large": "太大",
    "The limit is 512 MiB; split it.": "上限是 512 MiB；请拆开。",
    "permission denied": "没有权限",
    "Make it readable for yourself.": "请给自己读取的权限。",
    "it is not there": "不存在",
    "Check the path, and that its drive is connected.": "请检查路径，以及磁盘是否接好。",
    "it cannot be read": "无法读取",
    "Check the drive that it is on.": "请检查它所在的磁盘。",
    "it is being written": "正在被写入",
    "It will be taken in once it is finished.": "写完之后就会收录。",
    "the folder is empty": "文件夹是空的",
    "the library itself": "资料库本身",
    "it holds a private key": "含有私钥",
    "Keep secrets out of the library.": "请勿把机密放进资料库。",
    "not yet indexed": "尚未收录",
    "Run: yuanwen sync": "请运行：yuanwen sync",
    "the library is empty": "资料库是空的",
    "Add documents: yuanwen add FOLDER": "请收录文档：yuanwen add 文件夹",
    # ----------------------------------------------------------------------------- why a file is not readable
    "binary file": "二进制文件",
    "Only files that hold text can be searched.": "只有含文字的文件才能检索。",
    "Yuanwen reads text.": "原文只读文字。",
    "{kind} is not supported yet": "暂不支持 {kind}",
    "Save it as text, Markdown or HTML.": "请另存为纯文本、Markdown 或 HTML。",
    "there is no text in it": "里面没有文字",
    "Nothing can be found in this file.": "在这个文件里什么也找不到。",
    "There is nothing to find in it.": "里面没有可检索的内容。",
    "its reader failed ({kind})": "读取出错（{kind}）",
    "The file may be damaged; if it opens elsewhere, please report this.": (
        "文件可能已损坏；若用别的程序打得开，请报告给我们。"
    ),
    "its elements are nested too deeply": "元素嵌套太深",
    "one of its elements has too many attributes": "有元素的属性太多",
    "This is no ordinary page; save it as text.": "这不是普通网页；请另存为纯文本。",
    "{path}: {number} characters could not be decoded as {encoding}": (
        "{path}：有 {number} 个字符无法按 {encoding} 解码"
    ),
    "it is not UTF-8 (line {line})": "不是 UTF-8（第 {line} 行）",
    "broken JSON at line {line}, column {column}: {problem}": ("JSON 有误，第 {line} 行第 {column} 列：{problem}"),
    "it holds no records": "里面没有记录",
    "Add records to it, or leave it out.": "请加入记录，或不要收录它。",
    "Nothing was taken from this file; correct it and add it again.": ("这个文件没有收录任何内容；请改正后重新收录。"),
    "record {number} is not an object": "第 {number} 条记录不是对象",
    'records {first} and {second} have the same id, "{label}"': (
        "第 {first} 条和第 {second} 条记录的 id 相同，都是“{label}”"
    ),
    'record {record}: "{field}" {fault}': "第 {record} 条记录的“{field}”有误：{fault}",
    'record {record}: "{field}" is missing': "第 {record} 条记录缺少“{field}”",
    'record {record}: "{field}" is not a positive whole number': "第 {record} 条记录的“{field}”不是正整数",
    'record {record}: "{field}" is not a list of texts': "第 {record} 条记录的“{field}”不是文本列表",
    'record {record}: "{field}" is not a date': "第 {record} 条记录的“{field}”不是日期",
    'record {record}: "{field}" is not a text': "第 {record} 条记录的“{field}”不是文本",
    'record {record}: "{field}" is empty': "第 {record} 条记录的“{field}”是空的",
    'record {record}: "{field}" holds a NUL': "第 {record} 条记录的“{field}”含有 NUL 字符",
    'record {record}: "{field}" holds half a character (a lone surrogate)': (
        "第 {record} 条记录的“{field}”含有半个字符（孤立的代理码）"
    ),
    # -------------------------------------------------------------------------------- what a check may find
    "the index is at change {position} of {generation}": ("索引停在第 {position} 次改动，应为第 {generation} 次"),
    "the index holds {entries} of {passages} passages": "索引里有 {entries} 个片段，应为 {passages} 个",
    "the index is damaged: {error}": "索引已损坏：{error}",
    "the index cannot be read: {error}": "索引无法读取：{error}",
    "the totals say {totals}, counted are {counted}": "总数记为 {totals}，实数为 {counted}",
    "a gap at {position} in version {version} of {source}": ("{source} 的版本 {version} 在 {position} 处有缺口"),
    "the text of version {version} of {source} is not what was stored": (
        "{source} 的版本 {version} 的文字与存入时不符"
    ),
    "a row of {table} refers to nothing": "表 {table} 里有一行指向不存在的内容",
}
