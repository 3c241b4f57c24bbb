"""What `serve` says -> the same in Chinese."""

SERVE: dict[str, str] = {
    "serve the library over HTTP, for assistants that speak MCP": "通过 HTTP 提供资料库，供支持 MCP 的助手使用",
    "Only this machine can reach it, unless --host says otherwise; then a token is needed. Nothing can be"
    " changed through it without --allow-write. Ctrl+C stops it.": (
        "默认只有本机能访问；用 --host 对外开放时必须设口令。不加 --allow-write 时只读。按 Ctrl+C 停止。"
    ),
    "[OPTIONS]": "[选项]",
    "HOST": "地址",
    "DOMAIN": "域名",
    "TOKEN": "口令",
    "listen at this address; else 127.0.0.1": "监听的地址；默认 127.0.0.1",
    "listen at this port; 0 takes a free one": "监听的端口；0 表示任取一个空闲端口",
    "ask everyone for this; better set YUANWEN_TOKEN": "访问时必须出示的口令；更好的做法是设 YUANWEN_TOKEN",
    "let clients add notes, and bring the library in step": "允许客户端添加笔记、同步资料库",
    "answer under this name too: docs.example.com": "也用这个主机名应答：docs.example.com",
    "Serving at {url}, MCP at {mcp}": "服务地址：{url}，MCP：{mcp}",
    # ------------------------------------------------------------------------------------------ why it does not start
    "a token has 16 to 512 letters, digits or signs of ASCII, and no spaces": (
        "口令须为 16 至 512 个 ASCII 字母、数字或符号，不含空格"
    ),
    "{token} would do.": "例如可用：{token}",
    "whoever can reach {host} could read your documents: there is no token": (
        "凡是能访问 {host} 的人都能读到这些文档：没有设口令"
    ),
    "Run {command} --token {token} (or set YUANWEN_TOKEN, which the list of processes does not show).": (
        "请运行 {command} --token {token} （或设 YUANWEN_TOKEN，它不会出现在进程列表里）。"
    ),
    "{name} is no name of a host": "{name} 不是主机名",
    "Write it as it stands in the address, without a port: docs.example.com": (
        "请按网址里的写法，不带端口：docs.example.com"
    ),
    "port {port} of {host} is taken": "{host} 的端口 {port} 已被占用",
    "Stop what uses it, or take another: --port 0 takes one that is free.": (
        "请停掉占用它的程序，或换一个：--port 0 任取一个空闲端口。"
    ),
    "a server cannot listen at {host}, port {port}: {problem}": "无法在 {host} 的端口 {port} 上监听：{problem}",
    "Take an address of this machine (127.0.0.1 is for it alone), and a port from 1024 up.": (
        "请用本机的地址（127.0.0.1 只供本机使用），端口不小于 1024。"
    ),
}
