"""What `mcp` says -> the same in Chinese."""

MCP: dict[str, str] = {
    "let an assistant search the library, over the Model Context Protocol": "让 AI 助手检索资料库（MCP 协议）",
    "install puts the server into the configuration of a program, or lists the programs; doctor starts it as"
    " they would, and says what works. Without either it serves the program that started it.": (
        "install 把服务写进某个程序的配置，或列出有哪些程序；doctor 照它们的方式启动服务，说明哪些可用。"
        "两者都不写，则为启动它的程序提供服务。"
    ),
    "[install|doctor] [CLIENT] [OPTIONS]": "[install|doctor] [程序] [选项]",
    "SERVER": "名称",
    "the name of the server there, for a second library": "服务在那里的名称，供第二个资料库使用",
    "there is no client {name}": "没有名为 {name} 的程序",
    "yuanwen mcp has no {name}": "yuanwen mcp 没有 {name}",
    "{option} goes with: yuanwen mcp install": "{option} 只用于 yuanwen mcp install",
    "This waits for a program that speaks MCP. To have one start it: yuanwen mcp install": (
        "正在等待使用 MCP 的程序。要让程序来启动它：yuanwen mcp install"
    ),
    # --------------------------------------------------------------------------------------- installing
    "{title} has the server {name} now: {file}": "{title} 已装上 {name}：{file}",
    "{title} has the server {name} already: {file}": "{title} 早已装有 {name}：{file}",
    "This would go into {file}:": "将写入 {file}：",
    "Nothing was written. All else in the file would stay as it is.": "没有写入。文件里的其他内容都会原样保留。",
    "Restart {title}, and ask it something that stands in your documents.": (
        "请重启 {title}，再拿文档里写着的事问问它。"
    ),
    "There is no library at {path} yet; yuanwen add makes it": "还没有资料库 {path}，用 yuanwen add 建立",
    "Paste this into {title}: {where}": "请把它粘贴到 {title}：{where}",
    "Settings > MCP Servers > Add > Import from JSON": "设置 > MCP 服务器 > 添加 > 从 JSON 导入",
    "{title} is not on this machine: there is no {home}": "这台机器上没有 {title}：找不到 {home}",
    "Nothing was written. Start it once, or put the entry in by hand where it keeps its servers.": (
        "没有写入。请先启动它一次，或把上面的配置手工填到它存放服务的地方。"
    ),
    "{path} has another server under the name {name}: {command}": "{path} 里名为 {name} 的是另一个服务：{command}",
    "Nothing was written. Choose another name with --name, or take that one out first.": (
        "没有写入。请用 --name 另取名称，或先删去那一个。"
    ),
    "{name} cannot be the name of a server": "{name} 不能用作服务的名称",
    "Take up to 32 letters, digits, - and _ for it.": "请用不超过 32 个字母、数字、- 和 _。",
    "cannot tell where your home folder is": "无法确定个人文件夹在哪里",
    "Set the variable HOME to it.": "请把变量 HOME 设为它。",
    # ---------------------------------------------------------------------------- other programs' files
    "Nothing was written. Mend the file, or put the entry in by hand.": "没有写入。请改好文件，或手工填写。",
    "{path}, line {line}: this is not plain JSON": "{path} 第 {line} 行：不是标准的 JSON",
    "{path}, line {line}: plain JSON has no comments": "{path} 第 {line} 行：标准的 JSON 没有注释",
    "{path}, line {line}: this is not TOML": "{path} 第 {line} 行：不是 TOML",
    "{path} has the key {key} twice": "{path} 里的键 {key} 出现了两次",
    "{path}: {value} is not JSON": "{path}：{value} 不是 JSON",
    "{path} is not an object of JSON": "{path} 不是 JSON 对象",
    "{path} is not UTF-8 text": "{path} 不是 UTF-8 文本",
    "{path} cannot be read: {cause}": "{path} 无法读取：{cause}",
    "{path}: {table} is not a table of servers": "{path}：{table} 不是服务列表",
    "{path}: nothing can be added to {table}": "{path}：{table} 不能再添加内容",
    "{path} was changed by another program just now": "{path} 刚刚被别的程序改动",
    "Run it again.": "请再执行一次。",
    # ------------------------------------------------------------------------------------------ listing
    "cannot be looked into": "无法查看",
    "not on this machine": "这台机器上没有",
    "is given it by hand": "需手工粘贴",
    "has {names}": "已装 {names}",
    "does not have it yet": "尚未安装",
    "To put it into one of them: yuanwen mcp install CLIENT. With --dry-run nothing is written, only shown.": (
        "要装进其中一个：yuanwen mcp install 程序。加上 --dry-run 则只显示，不写入。"
    ),
    # -------------------------------------------------------------------------------------- mcp doctor
    "command": "命令",
    "newer clients": "新版协议",
    "older clients": "旧版协议",
    "stdout": "标准输出",
    "search": "检索",
    "protocol {protocol}, ready after {seconds} s: {tools}": "协议 {protocol}，{seconds} 秒后就绪：{tools}",
    "the server does not start: {problem}": "服务无法启动：{problem}",
    "no answer within {seconds} seconds": "{seconds} 秒内没有应答",
    "See what it says: {command}": "请看它说了什么：{command}",
    "nothing but the protocol": "只有协议内容",
    "lines that are not of the protocol: {count}": "不属于协议的行：{count}",
    "Report this, with what yuanwen doctor says.": "请把它连同 yuanwen doctor 的输出报告给我们。",
    "there is no library at {path} yet": "还没有资料库 {path}",
    "Run: yuanwen -L {path} add FOLDER": "请运行：yuanwen -L {path} add 文件夹",
    "Run: yuanwen -L {path} check": "请运行：yuanwen -L {path} check",
    "{path}: documents: {documents}": "{path}：文档 {documents} 份",
    "“{words}”: {found} found in {ms} ms": "“{words}”：{ms} 毫秒查到 {found} 处",
    "what it has cannot be looked into": "无法查看它装了什么",
    "To have the entry, to put it in by hand: yuanwen mcp install {client}": (
        "要取得配置以便手工填写：yuanwen mcp install {client}"
    ),
    "not installed there yet": "尚未安装",
    "Run: yuanwen mcp install {client}": "请运行：yuanwen mcp install {client}",
    "{name}: {command} is not there any more": "{name}：{command} 已经不在了",
    "{name}: there is no library at {library}": "{name}：没有资料库 {library}",
    "Take {name} out of {file}, and run: yuanwen mcp install {client}": (
        "请从 {file} 删去 {name}，再运行：yuanwen mcp install {client}"
    ),
    "{name} searches {library}": "{name} 检索 {library}",
    "{name}, in {file}": "{name}，在 {file}",
}
