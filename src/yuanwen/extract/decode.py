"""Bytes -> text: which encoding it is, and how many bytes could not be read.

The order of evidence: a byte order mark; strict UTF-8, unless a label for Chinese fits as well; then the reading
that is likeliest as language. Each candidate decodes a sample, and every character costs `-ln p`: little for
letters, kana, Hangul and frequent hanzi of both scripts, much for rare ones, most for a replacement. A declared
label is one more vote, so one that lies loses.
"""

import codecs
import re
from collections import Counter
from dataclasses import dataclass
from functools import lru_cache
from math import log

_BOMS = (
    (codecs.BOM_UTF8, "utf-8"),
    (codecs.BOM_UTF32_LE, "utf-32-le"),  # before UTF-16, whose mark it starts with
    (codecs.BOM_UTF32_BE, "utf-32-be"),
    (codecs.BOM_UTF16_LE, "utf-16-le"),
    (codecs.BOM_UTF16_BE, "utf-16-be"),
)
_UTF16 = ("utf-16-le", "utf-16-be")
_CANDIDATES = ("utf-8", "gb18030", "big5hkscs", "cp932", "cp949", *_UTF16, "cp1252")

# Labels as browsers read them, by the name that Python gives the codec. Others are not believed.
_LABELS = {
    "gb2312": "gb18030",
    "gbk": "gb18030",
    "big5": "big5hkscs",
    "cp950": "big5hkscs",
    "shift_jis": "cp932",
    "euc_kr": "cp949",
    "ascii": "cp1252",
    "iso8859-1": "cp1252",
    "iso8859-9": "cp1254",
    "tis-620": "cp874",
}
_ALSO_BELIEVED = re.compile(r"gb18030|big5hkscs|cp932|cp949|utf-8|euc_jp|cp125\d|cp874|koi8-[ru]|iso8859-\d+|mac-roman")
_CHINESE = ("gb18030", "big5hkscs")  # of what labels mean, those whose pairs of bytes can be UTF-8 by chance
_BEYOND_TWO_BYTES = re.compile("[\u0800-\U0010ffff]")
_LABEL_VOTE = 0.5  # nats a byte: more than the noise of a short text, far less than mojibake costs

_SAMPLE = 16 * 1024
_FROM_FIRST_HIGH_BYTE = re.compile(rb"[\x80-\xff][^\n]*\n?")


@dataclass(frozen=True, kw_only=True)
class Decoded:
    """Text, the encoding it was read by, and how many characters stand for bytes that could not be read."""

    text: str
    encoding: str
    replaced: int


def decode(data: bytes, *, declared: str | None = None) -> Decoded:
    """Return `data` as text. Line ends stay; a U+FEFF at the start is dropped, a NUL becomes U+FFFD."""
    for mark, encoding in _BOMS:
        if data.startswith(mark):
            return _decoded(data, encoding)
    if b"\0" not in data[:_SAMPLE] and (text := _strict(data, "utf-8")) is not None:
        return _doubted(data, text, declared) or _clean(text, "utf-8", 0)
    return _decoded(data, _likeliest(data, _believed(declared)))


def is_utf16(head: bytes) -> bool:
    """Return whether bytes that hold NULs read well as UTF-16, rather than as anything else or not at all."""
    if head.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)):
        return True
    encoding = _likeliest(head, None)
    if encoding not in _UTF16 or "\0" in _sampled(head[:_SAMPLE], encoding):
        return False
    return _cost(head[:_SAMPLE], encoding) < _UTF16_TEXT


def codec(label: str | None) -> str:
    """Return the name that Python gives the codec of a label, or an empty string for one that is unknown."""
    return _codec((label or "").strip())


@lru_cache  # to look for a codec that is not there takes long
def _codec(label: str) -> str:
    try:
        return codecs.lookup(label).name
    except (LookupError, ValueError):
        return ""


def _strict(data: bytes, encoding: str) -> str | None:
    """Return the text, or None for bytes that are not in this encoding."""
    try:
        return data.decode(encoding)
    except UnicodeDecodeError:
        return None


def _doubted(data: bytes, text: str, declared: str | None) -> Decoded | None:
    """Return what a label for Chinese makes of bytes that are UTF-8 only by chance, or None.

    学习 in GBK is also valid UTF-8, for ѧϰ. Chinese in UTF-8 takes characters beyond those of two bytes.
    """
    if declared is None or text.isascii() or _BEYOND_TWO_BYTES.search(text):
        return None
    encoding = _believed(declared)
    if encoding not in _CHINESE:
        return None
    meant = _strict(data, encoding)
    return None if meant is None else _clean(meant, encoding, 0)


def _decoded(data: bytes, encoding: str) -> Decoded:
    text = data.decode(encoding, "replace" if encoding.startswith(_ONE_BY_ONE) else _PAIRS)
    replaced = text.count("\ufffd")
    if replaced and encoding.startswith(("utf", "gb18030")):  # these can also say U+FFFD of their own accord
        replaced = max(0, replaced - data.count("\ufffd".encode(encoding)))
    return _clean(text, encoding, replaced)


def _clean(text: str, encoding: str, replaced: int) -> Decoded:
    """Return the result without a byte order mark, and without NULs: too many programs stop at one."""
    nuls = text.count("\0")
    text = text.removeprefix("\ufeff").replace("\0", "\ufffd")
    return Decoded(text=text, encoding=encoding, replaced=replaced + nuls)


def _replace_pair(error: UnicodeError) -> tuple[str, int]:
    """Return one U+FFFD for a lead byte with the high byte after it, as browsers do; pairs stay whole."""
    if not isinstance(error, UnicodeDecodeError):
        raise error
    pair = error.object[error.start : error.start + 2]
    is_pair = len(pair) == 2 and 0x81 <= pair[0] <= 0xFE and pair[1] >= 0x80
    return "�", max(error.end, error.start + 2) if is_pair else error.end


_PAIRS = "yuanwen.pairs"
codecs.register_error(_PAIRS, _replace_pair)
_ONE_BY_ONE = ("utf", "cp125", "cp874", "koi8", "iso8859", "mac")


def _believed(label: str | None) -> str | None:
    """Return the codec that a declared label means, or None for one that is unknown or not believed."""
    name = codec(label)
    name = _LABELS.get(name, name)
    return name if _ALSO_BELIEVED.fullmatch(name) else None


def _likeliest(data: bytes, declared: str | None) -> str:
    sample = _sample(data)
    if _mostly_utf8(sample):
        return "utf-8"
    costs = {name: _cost(data[:_SAMPLE] if name in _UTF16 else sample, name) for name in _CANDIDATES}
    if declared:
        costs[declared] = _cost(sample, declared) - _LABEL_VOTE
    return min(costs, key=costs.__getitem__)


def _sample(data: bytes) -> bytes:
    """Return the start of `data`, or of what follows the first high byte of each line if there is much.

    A line feed, and so a first high byte, always starts a character in the encodings asked about here.
    """
    if len(data) <= _SAMPLE:
        return data
    pieces: list[bytes] = []
    size = 0
    for found in _FROM_FIRST_HIGH_BYTE.finditer(data):
        pieces.append(found.group()[: _SAMPLE - size])
        size += len(pieces[-1])
        if size >= _SAMPLE:
            break
    return b"".join(pieces) or data[:_SAMPLE]


def _mostly_utf8(sample: bytes) -> bool:
    """Return whether multi-byte UTF-8 outnumbers what is broken: no other encoding does that by chance."""
    text = _sampled(sample, "utf-8")
    broken = text.count("\ufffd")
    whole = sum(character > "\x7f" for character in text) - broken
    return b"\0" not in sample and whole > 3 * broken


def _sampled(sample: bytes, encoding: str) -> str:
    """Return the sample as text, without an error for a character that a full sample cuts at its end."""
    return codecs.getincrementaldecoder(encoding)("replace").decode(sample, final=len(sample) < _SAMPLE)


def _cost(sample: bytes, encoding: str) -> float:
    """Return how unlikely the sample is when read by `encoding`, in nats a byte."""
    counts = Counter(_sampled(sample, encoding))
    return sum(_COSTS[character] * n for character, n in counts.items()) / (len(sample) or 1)


class _Costs(dict[str, float]):
    """What a character costs, worked out once for each."""

    def __missing__(self, character: str) -> float:
        self[character] = cost = _script_cost(ord(character))
        return cost


def _script_cost(code: int) -> float:
    """Return the cost of a character that no table names: that of the first range it falls below."""
    return next(cost for end, cost in _RANGES if code < end)


_ODD, _ERROR = 12.0, 20.0
_UTF16_TEXT = 5.5  # nats a byte: Chinese costs about 3.5, English 1.6, noise more than 6

# (end of the range, cost). Letters of one byte are common, symbols are not.
_RANGES = (
    (0x20, _ODD),
    (0x7F, 4.0),
    (0xA0, _ODD),
    (0xC0, 8.0),  # ¡¢£ … ¿
    (0xDF, 7.0),  # À … Þ
    (0x100, 4.5),  # ß … ÿ
    (0x370, 8.0),
    (0x1200, 4.7),  # Greek, Cyrillic, Hebrew, Arabic, Indic, Thai …: only where a label says so
    (0x2000, 10.0),
    (0x2070, 6.0),  # dashes, quotes
    (0x2460, 8.5),  # arrows, mathematics
    (0x2500, 6.0),  # ① ⑴ ⒈
    (0x2E80, 8.5),  # boxes
    (0x3000, 12.0),
    (0x3040, 5.5),  # 、。「」《》
    (0x30A0, 4.5),  # hiragana
    (0x3100, 5.5),  # katakana
    (0x3400, 9.0),
    (0x4E00, 14.0),  # extension A
    (0xA000, 12.5),  # hanzi beyond the frequent ones
    (0xAC00, 14.0),
    (0xD7A4, 11.0),  # Hangul beyond the frequent ones
    (0xE000, _ERROR),
    (0xF900, 16.0),  # private use
    (0xFE30, 14.0),
    (0xFF61, 6.5),  # full-width forms
    (0xFFA0, 9.0),  # half-width katakana
    (0xFFF0, 9.0),
    (0x10000, _ERROR),
    (0x20000, 9.0),  # emoji
    (0x110000, 16.0),
)

# The 2,000 hanzi that are most frequent in Simplified and Traditional Chinese taken together, the commonest
# first: counted from the passages of CMRC 2018 and DRCD, each weighing one half. They cover 95 % of both.
_FREQUENT_HANZI = (
    "的年在一中是大國有人和以为為地成上了日于不之月部主及行其出国公分而民作西多名生到南用本斯方被他由家於政自"
    "後后法北下世代最等同時海第高位前建文學学至路要时可也新所加外立个會都與期市此因德三特教利道子得与港美度軍"
    "通小会但理使全物入线工發球合重王來克面化山长平台定事能站力二次州任個里戰发共或區天布式十原東相性經對体制"
    "系明水機這城府香正者科色区界拉治英金起並东巴開士動亚如朝河比目表四統安爾太常口然院量车史著基元古来并始林"
    "米尼现心改尔开受动司首過展形現聯就洲称影内赛業向少內流亞经交族提接保各直列马華格字進电队间品產包场曾長对"
    "意間已这當种鳍龙些稱亦鱼星近当灣阿將臺校型電军省管帝社音设号韓總非女空江又卡过集程造數更體居业義岛取两印"
    "指種进食员清設五命石类只權武議活演員具持将約约华条语反語很身車头括夫达角数广即湾它初群手局關周兩從往片領"
    "光普回关机足郡宗版達實京羅联商解白官土罗先支早放神收源黨今且信紀運域们从花未則每属除郵九票完研引门无果务"
    "速蒙则邦漢言傳兵乐传器客佛計段皇兰黑再爭战运令情陆威認委蘭務育根推视福置島冠份去隊播均宣場馬濟街铁八增另"
    "究導萬資易術示存張選齿背們率村派李例廣六仍致組知游結计際俄统境森件实该半带說单密死结较書移波总案湖投歐处"
    "座盟屬無變骨服殺蘇陸整助那志洋條季说哈低火好律失超還決線越获深步索纪塞賽容求射帶级打功产青需堂供象吉別央"
    "伊百攻氏恩許点组应离防县才修故止縣尾落略便封技排博視连效班富侧画模七納舉瓦母朱般洛枚登木伯升万較歷节托创"
    "住底资塔料降甲黄革鐵唐團風师风希权報室施把停蛇突男书参留哥像據值嘉红飛专真沒維阳論沙配剧张短己别历奧衛典"
    "奇應擊何處門认強氣獲類隨义康雷航鮮奥籍转圖依稻構姆素景端考藝曲精牠號該际限干田必占父选麗點看承消歌查汉议"
    "毛变澳控岸級举标興没观附勒席她牙念我祖倫參授千烈批据植油繼規甚埃樂題亡守还抗构气藏准督杜快协隆拿含製赫园"
    "思维领質裝宋記论镇走老臣友候句君见梅響龍汽破末獨团退汗环昆役状積岩亲办乘瑞病良逐船术協極呈告孙质離副复薩"
    "農想沿續轉纳职鳞永望察策雄拜决层專邊爆問觀随束潮兴泰圣导坦佳做吴记劃連春久划双感職报调息單敗营银曼算眼標"
    "堡辦延奖苏照眾終货幾滿卫编肉左围边夏獎距似莫响题創菲众击硬宮戏项注切样尚遠范欧右勢陽唱争医终缘规许软僅復"
    "給護皮岁莱昌層企旅俗温槍聲草章售媒營調简魯燕载顿見圆丹秀圍聖录棘益混築鬥股装臀济巨係彈網款樣責頭强善漫師"
    "項图酒雙征萨邻飞殿房细续问負炸親显余遭述仔备护桥盖网盛判環織餘川儿码迪麻仁差奴散萊署晚幼胡雖楼裂丁梁伦序"
    "雅兒皆聚泛喜蓝吸廷庫溫館靠店弟艺诺階婚鎮筑野送叶峰云尺漸爱独评備園採途坡若松负馆鲁荷伽板予架杯柏擁津援秦"
    "話遷刘给劇熱警害免钟鼓愛写声節衝貴費申私牌谷讓載刊几厂宝庙牛探禁錄顯材準豪倍摩确辑否證充翰固卷杀积继嚴庭"
    "沃簽訊陵危暴奉狀畫侵殖党灵屋諾難夜乎热练紅耳妻迫歸宽担极毕胜证哲跟唯勝試罪块宁弹树满绝词穆透擔秋什某逃价"
    "届泽屆態轄朗寺黎假徐习胸憲範幻忽佔伤换盘颌斑呼腹伐宇追俱返穿按弗寫測裡遊毒灰译责陈惠盃詞尖喀姓虫训壓隔翻"
    "织远适叫抵雨彩采撤芳互黃爵缺桂严冷減確遍币话諸軌鄉魏替却杂鸟址淡刻激吻斷烏絕險魚凤栖邨预融刺救旋渡駐核执"
    "读卻編預浦宫态轻鲷肯乙評血岳徒避仅药執寧閩雲洪兼郎伸努杭晉識豐宾拥猫虽描待敦介圈併劉奪況滅驗氧繁培犯泊珠"
    "忠歲輕藩捕户败闻擴樓臨訂允秘侯丘玉亮断签纽亂舞艾尤篇耶廢澤礎蔣貝頻旗优厅辐招扁孔恢塘召價宜丽异绿迁额验微"
    "廠請凡操疑墨况识费葉付琉阻妃蒂迎兽劳夺让试频雉億銀径礼拍偏堅辛轨暗找幕紐赤巡休童詹孟乌农缩贝掌慈尊隸跨乃"
    "肌概乾炮库渐税纲顶徵禮遼露慕苦截拔厚霍貿頓伴临亿养测诸颜健潘翼借涉財逝冈启诗套蓋遺靖归汇鲈雌簡舍症遂勞帮"
    "猎纹讯赏轮锦险须廉拒伍棣刑醫池杰废请茂午遇扎腦須儒鹿审灭辖顺迅戈急符葵芬習齊蒸匈弱障兄乡旧熟壇仙洞祭喇孩"
    "礁輪輸摄誉贵鲜齐亨旁葛酸吃氯垂夠聞舊輛麥庆晋释鹦厘跑恐優啟監脫適陳雜陷戴楚倒困着荣购难智震牧嶼慶滑燃坐错"
    "阵鳃敬映敵聽釣冬覆姐折租魔刀墓裔菌享裁慢默換棄異紛縮乱冲纸遗柱瑟嘴夷雕僧頁養遣尉奏横禅阶粉稍疾促你味獻浪"
    "听柜贤熊咸乏甘茨幅揮盧鄭析琳鄂葬殊羽监谢扇卑脈碳玩叛腓額昂杨熙匹泉衣礦補襲譯膜势压粤舰补辅迹锋颈孝扶仰柴"
    "匯婦孫審恆討鄰埔迷脑觉叉昭浙勇詩銷冰痛曹沈佐崇零丰减枪辆饰銅頒乳琴褐隋估捷儘細撒犹虹骑鳗御答虎液袁染斜圓"
    "徑釋伏玄割兹笔韦彭振鼻溪拓郭旺傷儀冊凱彼卢尽竞财贸卵斗蜀戶賓妹姻勃椎戒桑浮毫俊粹厦扩欢氢沟献玛腭镜寶榮覺"
    "誌貨閣帕疆苻涌竹禧晶競軟針勤瓜雪勋扬滨纵绩讲赵郑隶鸡庄箭雀械枝翠戲損橋歡藥鄧紫伟刚壳择检绍讨麦亭邀磁偶袖"
    "厥懷畢談購轟柯脊羊珍乔梦赞韩驻鸣鸭檢紙訪謀講頂梯掉郊奈杉欲偷寒抽盾寻挂疗诉误输撫糧誤鏡慧陶佩搭罕棕插措斤"
    "稀峽擇稅穩臘鋒鋼蔡寄撞么坏够挥烧诚销静鬣圳粗胎狸屯宙腐垣傾喬壩慮讀順衡削袭阴炎傑儲緊緩艷陣顏雍藤藉侍徽巧"
    "疏擎壁宅祥耕吕弃暂篮脉餐窗赴嶺惡楊療貫幸番拆坎挑"
)
_FREQUENT_HANGUL = (
    "이다는에의을가고하지로한사대를은도기그나서자일인리어아시해들수과있부라보게만제"
    "정상전주장스여구원공무세성니오거국면소동조조선신방되진적으했였습관위용년월비경유중말생실"
    "모안내물연문학개회교때우할것요된와까및통계분른마야르러있없않같더또데등때련"
)

_COSTS = _Costs(
    dict.fromkeys("abcdefghijklmnopqrstuvwxyz0123456789 \n", 3.0)
    | dict.fromkeys("\r\t\f", 4.0)
    | {"\0": 16.0, "，": 3.5, "。": 3.5}
    | dict.fromkeys(_FREQUENT_HANGUL, 6.0)
    | {hanzi: log(33 + 5.2 * rank) for rank, hanzi in enumerate(_FREQUENT_HANZI)}
)
