"""What `synonyms` says, and what it says of them elsewhere, in Chinese."""

SYNONYMS: dict[str, str] = {
    "keep a list of words that count as the same in a search": "管理同义词：检索时算作同一个词",
    (
        "add joins words into a group, and remove takes them out; import reads a file with one group a line, its"
        " words parted by commas. Without any of them the list is printed. exact finds a string as it stands."
    ): (
        "add 把几个词归为一组，remove 去掉；import 读入文件，一行一组，词之间用逗号分开。什么都不写则列出全部。"
        "exact 只找原样的字符串。"
    ),
    "[add WORD WORD...|remove WORD...|import FILE]": "[add 词 词…|remove 词…|import 文件]",
    "yuanwen synonyms {action} does not go so": "yuanwen synonyms {action} 不是这样用的",
    "See: yuanwen synonyms --help": "用法见：yuanwen synonyms --help",
    "{n} group taken in": "收入 {n} 组",
    "{n} groups taken in": "收入 {n} 组",
    "There are no synonyms. Add some with: yuanwen synonyms add WORD WORD": (
        "还没有同义词。添加：yuanwen synonyms add 词 词"
    ),
    "These count as the same: {words}": "算作同一个词：{words}",
    "Taken out: {words}": "已去掉：{words}",
    "synonyms count as well: {words}": "同义词也算：{words}",
    "{word} has no synonyms": "{word} 没有同义词",
    "See what there is with: yuanwen synonyms": "查看已有的：yuanwen synonyms",
    "{path}, line {number}: {reason}": "{path} 第 {number} 行：{reason}",
    "{word} is no word": "{word} 不是词",
    "Write words of letters or figures.": "请写文字或数字。",
    "a synonym has {n} characters at most": "同义词最多 {n} 个字符",
    "Write a shorter one.": "请写短一些。",
    "synonyms are two words or more": "一组同义词至少两个",
    "Write: yuanwen synonyms add WORD WORD": "写法：yuanwen synonyms add 词 词",
}
