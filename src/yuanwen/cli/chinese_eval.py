"""What `eval` says -> the same in Chinese."""

EVAL: dict[str, str] = {
    "measure how well a library answers a question set, or draft such a set": (
        "用一套问题测量检索质量，或起草这样一套问题"
    ),
    "SET is a CSV with the columns question and source (and quote, answerable), asked of your library; or a"
    " folder with corpus.jsonl.gz, queries.jsonl.gz and qrels.tsv. Its passages are taken into a library of"
    " their own, kept in your cache folder or in {variable}, unless -L names one that holds them.": (
        "题集可以是 CSV，含“问题”“来源”两列（另可有“引文”“可答”），用来测自己的资料库；"
        "也可以是文件夹，含 corpus.jsonl.gz、queries.jsonl.gz 和 qrels.tsv，其中的片段另建一个资料库，"
        "放在缓存文件夹或 {variable} 里，除非用 -L 指定了已有这些片段的资料库。"
    ),
    "[SET] [OPTIONS]": "[题集] [选项]",
    "SET": "题集",
    "measure this mode; else ranked, and hybrid where there are vectors": (
        "测这种方式；不写则测 ranked，有向量时加测 hybrid"
    ),
    "so many questions at most": "最多几道题",
    "test B against A: modes, or earlier runs kept with --json": "检验 B 与 A 的差别：两种方式，或用 --json 存下的结果",
    "add these passages to SET": "把这些片段加进题集的片段里",
    "draw the figures, as an SVG file": "把结果画成 SVG 图",
    "exit with 1 where a figure is below": "有指标低于此数时，退出状态为 1",
    "draft a set from your library, as a CSV to be edited": "由自己的资料库起草一套题，存为 CSV，供修改",
    "with --make: ask about this file, too, which the library does not have": (
        "配合 --make：也就这个资料库里没有的文件提问"
    ),
    "another draft, or other samples for the intervals (1)": "换一份草稿，或换一组抽样（1）",
    # ------------------------------------------------------------------------------------------- wrong use
    "--make drafts a set, and measures nothing": "--make 只起草题集，不做测量",
    "Leave out the rest, but --limit.": "请去掉其他选项，--limit 除外。",
    "no question set was given": "没有给出题集",
    "Draft one with: yuanwen eval --make questions.csv": "可先起草一套：yuanwen eval --make questions.csv",
    "--left-out is for a draft": "--left-out 用于起草",
    "Add: --make FILE": "请加上：--make 文件",
    "--pool adds to the passages of a set": "--pool 用于题集自带的片段",
    "Leave it out, or leave out -L.": "请去掉它，或去掉 -L。",
    "--min takes a measure and a share, not {given}": "--min 要用“指标=小数”，不能是 {given}",
    "Write, for example, --min R@10=0.9; the measures are {measures}.": "例如 --min R@10=0.9；指标有：{measures}。",
    "{measure} is not measured: the set has only answerable questions": "{measure} 无法测量：题集里全是有答案的问题",
    "Add questions without an answer.": "请加入没有答案的问题。",
    "{name} is neither a mode nor a file": "{name} 既不是检索方式，也不是文件",
    "Make one with: yuanwen eval SET --json > run.json": "请这样生成：yuanwen eval 题集 --json > run.json",
    "{path} is not a run of yuanwen eval": "{path} 不是 yuanwen eval 的结果",
    "{a} and {b} were not asked the same questions": "{a} 与 {b} 没有共同的问题",
    "Compare runs of one set.": "请比较同一套题的结果。",
    # ------------------------------------------------------------------------------------------------ sets
    "A set is a folder with corpus.jsonl.gz, queries.jsonl.gz and qrels.tsv, or a CSV with question and source.": (
        "题集应是含 corpus.jsonl.gz、queries.jsonl.gz、qrels.tsv 的文件夹，或含“问题”“来源”两列的 CSV。"
    ),
    "no question set {path}": "没有题集 {path}",
    "{path}: line {number}: {problem}": "{path}：第 {number} 行：{problem}",
    "a passage needs an id and a text": "片段要有 id 和 text",
    "a question needs an id and a text": "问题要有 id 和 text",
    "the question is answerable, and no passage is judged to answer it": "标为可答，却没有判定哪个片段回答了它",
    "a line is a question, a passage and a grade, parted by tabs": "每行应为问题、片段、等级，用制表符分隔",
    "it is not an object": "不是 JSON 对象",
    "answerable is yes or no": "“可答”一列只能填 yes 或 no（是、否）",
    "the question is empty": "问题是空的",
    "the question is answerable, and has no source": "标为可答，却没有写来源",
    "{path} has no column {column}": "{path} 没有 {column} 这一列",
    "{path} has the question {id} twice": "{path} 里的问题 {id} 出现了两次",
    "Give each an id of its own.": "请给每道题各自的 id。",
    "{path} has no answerable question": "{path} 里没有可答的问题",
    "{path} cannot be taken in: {reason}": "{path} 无法收录：{reason}",
    "Correct the passages of the set.": "请修正题集里的片段。",
    "the library has nothing of what {name} expects: {source}": "{name} 期待的内容，资料库里一样也没有：{source}",
    "Name the library that holds it with -L.": "请用 -L 指定含有它的资料库。",
    "the library does not have what these questions expect, so they cannot be answered: {shown}": (
        "以下问题期待的内容不在资料库里，因此不可能答出：{shown}"
    ),
    "To have them searched by meaning as well: yuanwen -L {path} models use": (
        "若要同时按语义检索：yuanwen -L {path} models use"
    ),
    "The passages are kept in {path}": "题集的片段存放在 {path}",
    # --------------------------------------------------------------------------------------------- drafting
    "the library has no sentence to make a question of": "资料库里没有可以出题的句子",
    "{path} is there already": "{path} 已经存在",
    "Name another file, so that nothing you edited is lost.": "请换一个文件名，以免覆盖改过的内容。",
    "{file} has {questions}": "{file} 里有 {questions}",
    "{n} question": "{n} 道题",
    "{n} questions": "{n} 道题",
    "It is a draft: correct the questions, and put in those that you really ask": (
        "这只是草稿：请修改题目，换成自己真正会问的"
    ),
    "Some have no answer in the library: see that this is so, or delete them": (
        "有几道在资料库里没有答案：请核实，否则删去"
    ),
    "Then: yuanwen eval {file}": "然后运行：yuanwen eval {file}",
    # ----------------------------------------------------------------------------------------------- figures
    "{answerable} answerable and {unanswerable} unanswerable questions, {passages} passages": (
        "可答 {answerable} 题，不可答 {unanswerable} 题，片段 {passages} 个"
    ),
    "ms, median": "毫秒，中位",
    "ms, 95 of 100": "毫秒，95 分位",
    "{answered} of {asked} answered, {strong} strongly": "{asked} 题中作答 {answered} 题，其中有力 {strong} 题",
    "In brackets: where 95 of 100 samples of the questions lie": "方括号内是对题目重新抽样时 95% 的结果所在的范围",
    "answered: of the answerable questions, by the verdict": "answered：可答的题里，判为有据而作答的比例",
    "refused: of the unanswerable ones": "refused：不可答的题里，拒答的比例",
    "AUROC: how often an answerable question has the higher confidence": "AUROC：可答的题置信度更高的概率",
    "kept: answerable questions that are left where one in ten of the others is let through": (
        "kept：门槛放过十分之一不可答的题时，仍能作答的可答题的比例"
    ),
    "{n} question fails": "{n} 道题未答好",
    "{n} questions fail": "{n} 道题未答好",
    "expected: no answer": "应答：没有答案",
    "expected: {what} ({place})": "应答：{what}（{place}）",
    "rank {n}": "第 {n} 位",
    "not found": "未找到",
    "the verdict is that there is no answer": "判定为没有答案",
    "first came: {what}": "排在第一的是：{what}",
    "difference": "差别",
    "better": "变好",
    "worse": "变差",
    "{b} beside {a}: {questions}": "{b} 对照 {a}：{questions}",
    "p: how often chance alone would make so large a difference (randomisation test)": (
        "p：单凭偶然出现这么大差别的概率（随机化检验）"
    ),
    "{measure} of {mode} is {value:.4f}, below {least}": "{mode} 的 {measure} 是 {value:.4f}，低于 {least}",
    "Rank of what was expected": "应答片段的名次",
    "Answered by each threshold of confidence; the dot is the verdict": "各置信度门槛下作答的比例；圆点是实际判定",
    "share of the unanswerable questions": "不可答的题作答的比例",
    "of the answerable ones": "可答的题作答的比例",
}
