"""What `ask` says, and what may go wrong with a model -> the same in Chinese."""

ASK: dict[str, str] = {
    "have a model answer from your documents, and verify what it says": "让模型凭自己的文档作答，并核对它的话",
    "The question and the passages found for it are sent to the model that you name, with YUANWEN_LLM_URL,"
    " YUANWEN_LLM_MODEL and YUANWEN_LLM_KEY, and nowhere else. Without one the prompt is printed.": (
        "问题和查到的片段只发给 YUANWEN_LLM_URL、YUANWEN_LLM_MODEL、YUANWEN_LLM_KEY 指定的模型，不发往别处；"
        "没有指定则打印提示词。"
    ),
    "MODEL": "模型",
    "the server to ask; else YUANWEN_LLM_URL": "向哪个服务提问；不写则用 YUANWEN_LLM_URL",
    "the model to ask; else YUANWEN_LLM_MODEL": "向哪个模型提问；不写则用 YUANWEN_LLM_MODEL",
    "No model is named, so nothing was sent.": "没有指定模型，什么也没有发出。",
    "With Ollama, for instance: export YUANWEN_LLM_URL=http://localhost:11434 YUANWEN_LLM_MODEL=qwen3:8b": (
        "以 Ollama 为例：export YUANWEN_LLM_URL=http://localhost:11434 YUANWEN_LLM_MODEL=qwen3:8b"
    ),
    "waiting for the model": "等待模型",
    "the model writes: {n} characters": "模型正在写：{n} 字",
    "The model refuses to answer": "模型拒绝回答",
    "cut off": "未写完",
    "Sources:": "出处：",
    "Answered by {model}": "由 {model} 回答",
    "This is its second answer: the first was not supported, and was sent back": (
        "这是第二次的回答：第一次有的话没有依据，已退回重写"
    ),
    "the answer was cut off; what follows its last whole sentence does not count": (
        "回答没有写完；最后一句完整的话之后的不算数"
    ),
    "the model was asked to repair its answer, which made it no better": "已请模型改正，但没有变好",
    "the answer could not be repaired: {problem}": "回答未能改正：{problem}",
    # ------------------------------------------------------------------------------------------ trouble
    "{url} is not the address of a server": "{url} 不是服务的地址",
    "Write it like http://localhost:11434/v1.": "写法如 http://localhost:11434/v1。",
    "cannot reach {url}: {problem}": "连不上 {url}：{problem}",
    "Is the server running? Check YUANWEN_LLM_URL.": "服务启动了吗？请检查 YUANWEN_LLM_URL。",
    "nobody answers": "没有应答",
    "{url} has written nothing for {seconds} seconds": "{url} 已有 {seconds} 秒没有写出文字",
    "A smaller model, or a lower --budget, answers sooner.": "换小一点的模型，或调低 --budget，会快些。",
    "the reply of {url} broke off: {problem}": "{url} 的回答中断：{problem}",
    "it has no end": "没有结尾",
    "Try again later.": "请稍后再试。",
    "Try again in {seconds} seconds.": "请过 {seconds} 秒再试。",
    "the model {model} wrote nothing": "模型 {model} 什么也没有写",
    "Try again, or another model.": "请再试，或换个模型。",
    "{url} does not speak the chat protocol: {beginning}": "{url} 答的不是对话协议：{beginning}",
    "Check YUANWEN_LLM_URL; it usually ends in /v1.": "请检查 YUANWEN_LLM_URL，它通常以 /v1 结尾。",
    "{url} leads to {other}": "{url} 转到了 {other}",
    "If you trust that, set YUANWEN_LLM_URL to it.": "若信任它，请把 YUANWEN_LLM_URL 设为它。",
    "the key for {url} has characters that no key has": "{url} 的密钥里有不该有的字符",
    "Check YUANWEN_LLM_KEY.": "请检查 YUANWEN_LLM_KEY。",
    "the proxy of the environment cannot be used: {problem}": "环境变量里的代理不能用：{problem}",
    "Check HTTPS_PROXY and ALL_PROXY.": "请检查 HTTPS_PROXY 和 ALL_PROXY。",
    "{url} does not say which models it has": "{url} 没有说有哪些模型",
    "Set YUANWEN_LLM_MODEL.": "请设置 YUANWEN_LLM_MODEL。",
    "{url} has several models": "{url} 有好几个模型",
    "Set YUANWEN_LLM_MODEL to one of: {models}.": "请把 YUANWEN_LLM_MODEL 设为其中之一：{models}。",
    "{url} has no model {model}": "{url} 没有模型 {model}",
    "Check YUANWEN_LLM_MODEL.": "请检查 YUANWEN_LLM_MODEL。",
    "{url} cannot answer now: {problem}": "{url} 现在不能回答：{problem}",
    "{url} does not take the key": "{url} 不认这个密钥",
    "{url} asks for a key": "{url} 需要密钥",
    "Set YUANWEN_LLM_KEY.": "请设置 YUANWEN_LLM_KEY。",
    "Check YUANWEN_LLM_KEY, and what it is allowed to do.": "请检查 YUANWEN_LLM_KEY 及其权限。",
    "{url} refuses the request: {problem}": "{url} 拒绝了请求：{problem}",
    "If the prompt is too long for the model, lower --budget.": "如果是提示词太长，请调低 --budget。",
}
