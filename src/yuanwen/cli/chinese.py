"""What the package says -> the same in Chinese. Templates as they stand in the code, with the same fields."""

from yuanwen.cli.chinese_ask import ASK
from yuanwen.cli.chinese_eval import EVAL
from yuanwen.cli.chinese_mcp import MCP
from yuanwen.cli.chinese_models import MODELS
from yuanwen.cli.chinese_proof import PROOF
from yuanwen.cli.chinese_reasons import REASONS
from yuanwen.cli.chinese_serve import SERVE
from yuanwen.cli.chinese_synonyms import SYNONYMS
from yuanwen.cli.chinese_verify import VERIFY

CHINESE: dict[str, str] = (
    {
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
        "NAME": "姓名",
        "TEXT": "文字",
        "WORD": "密码",
        "SOURCE": "来源",
        "QUERY... [OPTIONS]": "词语… [选项]",
        "PATH... [OPTIONS]": "路径… [选项]",
        "ID... [OPTIONS]": "编号… [选项]",
        "SOURCE...": "来源…",
        "FILE [OPTIONS]": "文件 [选项]",
        "Password: ": "密码：",
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
        "try this on files that need a password; - asks for it": "文件需要密码时试用；写 - 则当场询问",
        "the index of a new library; fts5 keeps all in one file": "新资料库用哪种索引；fts5 把一切存在一个文件里",
        "bring the library in step with the disk: new, changed, gone": "让资料库与磁盘一致：新增、改动、删除",
        "say what would be done, and do nothing": "只说会做什么，不真做",
        "go ahead where most files of a folder are gone": "文件夹里大多数文件不见了也照样移除",
        "find passages": "检索片段",
        'The query is plain words, and may use "a phrase", AND, OR, NOT, -word, ( ), redis*,'
        " NEAR(a b, 5), title:, tag:, source:, type: and author:.": (
            '直接写词语即可；也可以用 "短语"、AND、OR、NOT、-排除、( )、redis*、NEAR(缓存 穿透, 5)、'
            "title:、tag:、source:、type:、author:。"
        ),
        "ranked, hybrid (the default if there are vectors), semantic, exact (the very string), expand or raw": (
            "ranked（按词语）、hybrid（词语加语义，有向量时默认）、semantic（语义）、exact（逐字）、expand（带上下文）、raw（整条记录）"
        ),
        "passages at most (10)": "最多几个片段（10）",
        "passages to leave out at the start": "跳过开头几个片段",
        "passages to show before each": "每个片段之前再显示几个",
        "passages to show after each": "每个片段之后再显示几个",
        "only documents with this tag": "只查带这个标签的文档",
        "only from sources like this: *.md": "只查这样的来源：*.md",
        "only of this type: md, pdf, text/html": "只查这种类型：md、pdf、text/html",
        "only by an author with this in the name": "只查作者姓名含此的文档",
        "only from then on: 2026-11, 7d, yesterday": "从何时起：2026-11、最近3天、昨天、上周",
        "only up to then": "到何时止",
        "fill in a prompt that has a model answer from your documents alone": "填好提示词，让模型只凭自己的文档作答",
        "It holds the question, the passages found for it, and the rules for the answer; paste it into any chat.": (
            "内有问题、查到的片段和作答要求，粘贴到任何对话里即可。"
        ),
        "QUESTION... [OPTIONS]": "问题… [选项]",
        "QUESTION": "问题",
        "CHARS": "字数",
        "LANGUAGE": "语言",
        "passages at most (8)": "最多几个片段（8）",
        "characters of the prompt at most (8000)": "提示词最多多少字（8000）",
        "the language of the prompt, zh or en; else that of the question": "提示词用 zh 还是 en；不写则随问题",
        "{n} passage in the prompt": "提示词含 {n} 个片段",
        "{n} passages in the prompt": "提示词含 {n} 个片段",
        "Only some sentences: {ids}": "只收了部分句子的：{ids}",
        "Did not fit: {ids}; make room with --budget": "放不下的：{ids}；可用 --budget 加大",
        "Give it to a model, save the answer, and check it with: yuanwen verify ANSWER.md": (
            "把它交给模型，存下答案，再核对：yuanwen verify ANSWER.md"
        ),
        "superseded versions as well": "连旧版本一起查",
        "show what each score is made of": "显示分数的构成",
        "print passages, or whole documents, with their surroundings": "显示片段或整篇文档，可带上下文",
        "An ID is a passage id, the label of a record, or a source.": ("编号可以是片段编号、记录自带的编号，或来源。"),
        "draw the page, with the passage marked, as a PNG file": "把片段所在的页画成 PNG 图片，标出片段",
        "mark these words of the passage as well": "在图上再标出片段里的这些文字",
        "{file} written": "已写入 {file}",
        "a picture shows one passage": "一张图只显示一个片段",
        "Name one ID.": "请只写一个编号。",
        "no password was typed": "没有输入密码",
        "Give it with: --password WORD": "请这样给出：--password 密码",
        "--quote marks words in a picture": "--quote 用来在图上标出文字",
        "Add: --picture page.png": "请加上：--picture page.png",
        "list the documents": "列出文档",
        "list the tags": "列出标签",
        "show the health of the library, and what was skipped and why": (
            "显示资料库的状况，以及哪些文件没有收录、为什么"
        ),
        "check the library and its index for damage": "检查资料库和索引有无损坏",
        "make the index anew if it is not sound": "索引若有问题就重建",
        "give back space on the disk": "释放磁盘空间",
        "drop superseded versions; citations of them can no longer be checked": (
            "丢弃旧版本；引用旧版本的出处将无法再核对"
        ),
        "with --drop-old: only those taken in before: 2026-01, 90d": (
            "与 --drop-old 连用：只丢弃此前收录的：2026-01、90d"
        ),
        "remove documents, every version and every trace of them": "移除文档，连同一切版本和痕迹",
        "write the whole library to a file of JSON Lines": "把整个资料库写成 JSON Lines 文件",
        "take in what `export` wrote": "读入 export 写出的文件",
        "print what would be taken in of a file, with its places": "显示一个文件会收录成什么样，连同位置",
        "No library is needed, and none is changed.": "不需要资料库，也不改动资料库。",
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
        "line {n}": "第 {n} 行",
        "garbled, not what a reader sees": "乱码，与读者所见不同",
        "not to be seen by a reader": "读者看不见",
        "read from a picture": "由图片识别",
        "read from a picture, confidence {n}%": "由图片识别，置信度 {n}%",
        "repeated on each page": "每页重复",
        "inserted as a tracked change": "修订时插入",
        "[changed]": "[已改动]",
        "[missing]": "[已不在]",
        "[old version, {date}]": "[旧版本，{date}]",
        "This is the version of {added}.": "这是 {added} 收入的旧版本。",
        "Since {since} it reads otherwise: {ids}": "自 {since} 起此处文字已改：{ids}",
        "Since {since} the words are gone from the document.": "自 {since} 起文档中已没有这段文字。",
        "The words still stand in the current version: {ids}": "现行版本中仍有这段文字：{ids}",
        "The document is gone.": "文档已不在。",
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
        "embedding": "正在建立向量",
        "Stopped. What is embedded is kept, and the rest follows with: yuanwen sync": (
            "已停止。建好的向量会保留，其余的在下次运行 yuanwen sync 时继续建立"
        ),
        "Nothing more was embedded: {error}": "未能继续建立向量：{error}",
        "Embedded {n} passages with {model}.": "已用 {model} 为 {n} 个片段建立向量。",
        "the library has no model that embeds": "资料库还没有选定语义模型",
        "Choose one with: yuanwen models use": "选定：yuanwen models use",
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
        "Not read:": "没有读到的部分：",
        "Parts of files that were not read:": "文件里没有读到的部分：",
        "{name} ({note})": "{name}（{note}）",
        "{name}: {note}": "{name}：{note}",
        "{reason} ({n})": "{reason}（{n} 个）",
        "... and {n} more (-v names them all)": "……另有 {n} 个（加 -v 全部列出）",
        # --------------------------------------------------------------------------------------------- about
        "TITLE": "标题",
        "PASSAGES": "片段",
        "DATE": "日期",
        "DOCUMENTS": "文档",
        "The library is empty. Add documents with: yuanwen add FOLDER": (
            "资料库是空的。请先收录文档：yuanwen add 文件夹"
        ),
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
        "Meaning": "语义",
        "{n} passages embedded": "{n} 个片段有向量",
        ", {n} to do": "，还有 {n} 个待处理",
        ", {n} without words": "，{n} 个没有文字",
        ", until then those of {model} are searched": "，此前仍用 {model} 的向量检索",
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
        "dropped: {versions} and {passages}": "丢弃 {versions}、{passages}",
        "{n} superseded version": "{n} 个旧版本",
        "{n} superseded versions": "{n} 个旧版本",
        "removed: {documents}, {versions}, {passages}": "已移除：{documents}、{versions}、{passages}",
        "{n} document": "{n} 篇文档",
        "{n} documents": "{n} 篇文档",
        "{n} version": "{n} 个版本",
        "{n} versions": "{n} 个版本",
        "Nothing of them is left in the library or its index": "资料库和索引里都不再有它们的任何内容",
        "{documents} written to {file}": "已把 {documents}写到 {file}",
        # -------------------------------------------------------------------------------------------- doctor
        "Python": "Python",
        "library": "资料库",
        "terminal": "终端",
        "font": "字体",
        "text and code": "文本和代码",
        "Markdown": "Markdown",
        "web pages": "网页",
        "tables": "表格文本",
        "records": "JSON 记录",
        "PDF": "PDF",
        "Word": "Word",
        "Excel": "Excel",
        "PowerPoint": "PowerPoint",
        "OpenDocument": "OpenDocument",
        "e-books": "电子书",
        "mail": "邮件",
        "archives": "压缩包",
        "Outlook mail": "Outlook 邮件",
        "Office before 2007": "旧版 Office",
        "Office with a password": "加密的 Office",
        "pictures and scans": "图片和扫描件",
        "not read": "不能读的格式",
        "Save such files as PDF or DOCX.": "请把这类文件另存为 PDF 或 DOCX。",
        "{suffixes}: not yet": "{suffixes}：尚不能读",
        'Run: "{python}" -m pip install "yuanwen[msg]"': '请运行："{python}" -m pip install "yuanwen[msg]"',
        "Run: {command}": "请运行：{command}",
        'Run: "{python}" -m pip install "yuanwen[office-password]"': (
            '请运行："{python}" -m pip install "yuanwen[office-password]"'
        ),
        'Run: "{python}" -m pip install "yuanwen[ocr]"': '请运行："{python}" -m pip install "yuanwen[ocr]"',
        "{version} is too old": "{version} 太旧",
        "Install Python {least} or later.": "请安装 Python {least} 或更新的版本。",
        "cannot be loaded: {problem}": "无法加载：{problem}",
        'Run: "{python}" -m pip install --force-reinstall {package}': (
            '请运行："{python}" -m pip install --force-reinstall {package}'
        ),
        "{path} is not there yet; the first `yuanwen add` makes it": ("{path} 还不存在；第一次 yuanwen add 时会建立"),
        "{path} is not there, and {folder} cannot be written to": "{path} 不存在，而 {folder} 不可写",
        "Name another place with -L or the variable YUANWEN_LIBRARY.": (
            "请用 -L 或环境变量 YUANWEN_LIBRARY 指定别处。"
        ),
        "{path}: format {format}, index {index}, documents: {documents}": (
            "{path}：格式 {format}，索引 {index}，文档 {documents} 篇"
        ),
        "{path} can be searched, but not be written to": "{path} 可以检索，但不可写",
        "Give yourself the right to write to {path} and its folder.": "请给自己 {path} 及其所在文件夹的写权限。",
        "{encoding} has no Chinese characters; UTF-8 is printed all the same": (
            "{encoding} 不含汉字；程序仍会输出 UTF-8"
        ),
        "Run: chcp 65001": "请运行：chcp 65001",
        "Run: export LC_ALL=C.UTF-8": "请运行：export LC_ALL=C.UTF-8",
        # ---------------------------------------------------------------------------------- the library's errors
        "no passage {name}: the library does not have that version": "没有片段 {name}：资料库里没有这个版本",
        "It was dropped by compact --drop-old, or forgotten, or another library has it.": (
            "它可能已用 compact --drop-old 清掉，或已用 forget 移除，或在另一个资料库里。"
        ),
        "no passage {name} in that version": "这个版本里没有片段 {name}",
        "Ask for one from {key}-1 to {key}-{passages}.": "请在 {key}-1 到 {key}-{passages} 中选。",
        "the document {name} is gone": "文档 {name} 已不在",
        "Its words are kept: yuanwen search {name} --mode raw --all-versions": (
            "文字还留着：yuanwen search {name} --mode raw --all-versions"
        ),
        "--older-than says which superseded versions are dropped": "--older-than 只用来限定清掉哪些旧版本",
        "Add: --drop-old": "请加上：--drop-old",
        "{id} has no page": "{id} 没有页",
        "PDF files and pictures have pages.": "PDF 文件和图片才有页。",
        "{id} does not hold the quotation": "{id} 里没有这段引文",
        "Look for it with: --mode exact": "请用 --mode exact 查找",
        "{path} is not there": "{path} 不在了",
        "{path} is no longer as it was": "{path} 已不是当时的样子",
        "Bring the library up to date with yuanwen sync, and search again.": (
            "请用 yuanwen sync 更新资料库，再重新检索。"
        ),
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
        "{path} is being read, and still holds what was deleted": "{path} 正在被读取，已删除的内容还在文件里",
        "Run yuanwen compact when nobody reads it.": "请在没有人读取时运行 yuanwen compact",
        "{path} is closed": "{path} 已经关闭",
        "Open the library again.": "请重新打开资料库",
        "{path} cannot be the name of a file": "文件名不能是 {path}",
        "Choose another.": "请另取一个",
        "Check the spelling.": "请检查拼写。",
        "{root}: {reason}; nothing of it was removed": "{root}：{reason}；未从中移除任何内容",
        "If that is meant: yuanwen sync --allow-mass-removal": (
            "若确实如此，请运行：yuanwen sync --allow-mass-removal"
        ),
        "{gone} of its {all} files are gone": "其中 {all} 个文件有 {gone} 个不见了",
        "there is no mode {mode}": "没有 {mode} 这种检索方式",
        "Choose one of: {modes}.": "可选：{modes}。",
        "limit must be 1 or more, offset, before and after 0 or more": (
            "limit 至少为 1，offset、before、after 至少为 0"
        ),
        "Change the number.": "请改用别的数。",
        "the query is empty": "检索词是空的",
        "Say what to look for.": "请写明要找什么。",
        "cannot read the time {text}": "看不懂时间 {text}",
        "Write 2026-11-30, 2026-11, 7d, 3w, yesterday or 上周.": (
            "请写成 2026-11-30、2026-11、7d、最近3天、昨天或上周。"
        ),
        "{path} is not an export of Yuanwen: line {number}: {problem}": (
            "{path} 不是原文导出的文件：第 {number} 行：{problem}"
        ),
        "Nothing was taken in.": "没有读入任何内容。",
        "cannot write {path}: {error}": "无法写入 {path}：{error}",
        "Choose another place.": "请换个地方。",
        "there is no prompt in the language {lang}": "没有语言为 {lang} 的提示词",
        "Use zh or en.": "请用 zh 或 en。",
        "there is no passage to answer from": "没有可以作答的片段",
        "Search for other words.": "请换词再查。",
        "a budget of {budget} characters has no room for a sentence of any passage": (
            "限定 {budget} 字，放不下任何片段的一句话"
        ),
        "Give it {least} or more.": "请至少给 {least} 字。",
        # --------------------------------------------------------------------------------------------- notes
        "the operators in the query were taken as plain text": "检索词里的运算符已按普通文字处理",
        "no passage has all that the query requires; searched for any of its words": (
            "没有片段同时满足全部条件，已改为检索其中任意词语"
        ),
        "the library has no vectors: hybrid searched by words alone": "资料库没有向量，hybrid 仅按词语检索",
        "some passages have no vectors yet: they are found by their words alone": "有些片段还没有向量，只能按词语找到",
        "Weak evidence: the first passage may not answer the question": "证据较弱：第一个片段未必回答了问题",
        "its nearest sentence lacks {things}": "其中最接近的句子缺少{things}",
        "a negation": "否定",
        "an opposite": "相反的说法",
        "a name": "名称",
        "a number": "数字",
        "the kind of thing that is asked for": "所问的那类内容",
        "covers {n} %": "覆盖 {n}%",
        "near in meaning": "意思相近",
        "hybrid searched by words alone: {error}": "hybrid 仅按词语检索：{error}",
        "the library has no vectors": "资料库没有向量",
        "Make them with: yuanwen models use": "生成向量：yuanwen models use",
        "the model {name} is not the one that made the vectors of this library": "资料库的向量不是模型 {name} 生成的",
        "Make them anew with: yuanwen models use {name}": "重新生成：yuanwen models use {name}",
        "a proof is of a search by words": "检索证明只用于按词语的检索",
        "Search with: --mode ranked": "请用：--mode ranked",
        "there are passages that match, but the filters leave them out": "有符合的片段，但被筛选条件排除了",
        "{path} is a folder": "{path} 是文件夹",
        "{path} is damaged: {error}": "{path} 已损坏：{error}",
        "Put back a copy of it.": "请换回它的备份。",
        "Name a file to write to.": "请指定要写入的文件。",
        "some of the latest changes are not indexed yet": "最近的改动还有一部分没有进入索引",
        "the index was made by another release: run yuanwen check --repair": (
            "索引是由另一个版本建立的：请运行 yuanwen check --repair"
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
    | ASK
    | EVAL
    | MCP
    | MODELS
    | PROOF
    | REASONS
    | SERVE
    | SYNONYMS
    | VERIFY
)
