"""What files are called and how they begin: suffixes and first bytes -> media types."""

_TEXT = {
    "text/plain": "txt text log nfo srt vtt lrc ass diff patch ini cfg conf properties",
    "text/markdown": "md markdown mdown mkd mdx qmd rmd",
    "text/html": "html htm xhtml shtml",
    "text/csv": "csv",
    "text/tab-separated-values": "tsv tab",
    "text/xml": "xml xsd xsl xslt svg rss atom opml plist",
    "text/yaml": "yaml yml",
    "text/x-toml": "toml",
    "text/x-rst": "rst",
    "text/x-org": "org",
    "text/x-asciidoc": "adoc asciidoc",
    "text/x-tex": "tex latex bib sty cls",
    "text/css": "css scss sass less",
    "text/javascript": "js mjs cjs jsx",
    "text/x-typescript": "ts tsx mts cts",
    "text/x-vue": "vue svelte",
    "text/x-python": "py pyi pyx",
    "text/x-c": "c h",
    "text/x-c++": "cc cpp cxx hh hpp hxx",
    "text/x-csharp": "cs",
    "text/x-java": "java",
    "text/x-kotlin": "kt kts",
    "text/x-go": "go",
    "text/x-rust": "rs",
    "text/x-swift": "swift",
    "text/x-ruby": "rb",
    "text/x-php": "php",
    "text/x-perl": "pl pm",
    "text/x-lua": "lua",
    "text/x-r": "r",
    "text/x-scala": "scala",
    "text/x-sh": "sh bash zsh fish",
    "text/x-powershell": "ps1 psm1",
    "text/x-bat": "bat cmd",
    "text/x-sql": "sql",
    "text/x-protobuf": "proto",
    "text/x-graphql": "graphql gql",
    "application/json": "json",
    "application/jsonl": "jsonl ndjson",
}

_LATER = {
    ("application/pdf", "PDF"): "pdf",
    ("application/zip", "ZIP"): "zip",
    ("application/vnd.openxmlformats-officedocument.wordprocessingml.document", "Word (DOCX)"): "docx",
    ("application/vnd.openxmlformats-officedocument.spreadsheetml.sheet", "Excel (XLSX)"): "xlsx",
    (
        "application/vnd.openxmlformats-officedocument.presentationml.presentation",
        "PowerPoint (PPTX)",
    ): "pptx",
    ("application/vnd.ms-office.ooxml", "Microsoft Office with macros or a template"): (
        "docm dotx dotm xlsm xltx xltm xlsb pptm ppsx ppsm potx potm"
    ),
    ("application/vnd.oasis.opendocument.text", "OpenDocument text"): "odt ott",
    ("application/vnd.oasis.opendocument.spreadsheet", "OpenDocument spreadsheet"): "ods ots",
    ("application/vnd.oasis.opendocument.presentation", "OpenDocument presentation"): "odp otp",
    ("application/epub+zip", "EPUB"): "epub",
    ("application/x-iwork", "Apple iWork"): "pages numbers",
    ("application/x-xmind", "XMind"): "xmind",
    ("application/ofd", "OFD"): "ofd",
    ("application/msword", "Word (DOC)"): "doc",
    ("application/vnd.ms-excel", "Excel (XLS)"): "xls xlt",
    ("application/vnd.ms-powerpoint", "PowerPoint (PPT)"): "ppt pps",
    ("application/vnd.ms-outlook", "Outlook mail (MSG)"): "msg",
    ("application/vnd.ms-works", "WPS"): "wps et dps",
    ("application/x-ole-storage", "Microsoft Office (before 2007)"): "",
    ("application/x-hwp", "Hangul (HWP)"): "hwp",
    ("application/rtf", "RTF"): "rtf",
    ("application/x-mobipocket-ebook", "Kindle"): "mobi azw azw3",
    ("application/vnd.ms-htmlhelp", "CHM"): "chm",
    ("image/vnd.djvu", "DjVu"): "djvu djv",
    ("application/x-caj", "CAJ"): "caj",
    ("message/rfc822", "mail (EML)"): "eml mht mhtml",
    ("application/mbox", "mail (MBOX)"): "mbox",
    ("image/png", "PNG image"): "png",
    ("image/jpeg", "JPEG image"): "jpg jpeg",
    ("image/gif", "GIF image"): "gif",
    ("image/webp", "WebP image"): "webp",
    ("image/tiff", "TIFF image"): "tif tiff",
    ("image/bmp", "BMP image"): "bmp",
    ("image/heic", "HEIC image"): "heic heif",
    ("application/gzip", "compressed data (gzip)"): "gz tgz",
    ("application/x-bzip2", "compressed data (bzip2)"): "bz2",
    ("application/x-xz", "compressed data (xz)"): "xz",
    ("application/zstd", "compressed data (zstd)"): "zst",
    ("application/x-7z-compressed", "7-Zip"): "7z",
    ("application/vnd.rar", "RAR"): "rar",
    ("application/x-tar", "TAR"): "tar",
}

# Suffix -> media type.
MEDIA_TYPES: dict[str, str] = {
    f".{suffix}": media_type for media_type, suffixes in _TEXT.items() for suffix in suffixes.split()
} | {f".{suffix}": media_type for (media_type, _), suffixes in _LATER.items() for suffix in suffixes.split()}

# Media types that are known but have no extractor of ours yet, with the name that people know.
LATER: dict[str, str] = dict(_LATER.keys())

# First bytes -> media type. They win over the suffix, except for a family that is told apart by suffix.
MAGIC: tuple[tuple[bytes, str], ...] = (
    (b"%PDF-", "application/pdf"),
    (b"PK\x03\x04", "application/zip"),
    (b"PK\x05\x06", "application/zip"),
    (b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1", "application/x-ole-storage"),
    (b"{\\rtf", "application/rtf"),
    (b"ITSF\x03", "application/vnd.ms-htmlhelp"),
    (b"AT&TFORM", "image/vnd.djvu"),
    (b"\x89PNG\r\n\x1a\n", "image/png"),
    (b"\xff\xd8\xff", "image/jpeg"),
    (b"GIF87a", "image/gif"),
    (b"GIF89a", "image/gif"),
    (b"II*\0", "image/tiff"),
    (b"MM\0*", "image/tiff"),
    (b"\x1f\x8b\x08", "application/gzip"),
    (b"BZh91AY&SY", "application/x-bzip2"),
    (b"\xfd7zXZ\0", "application/x-xz"),
    (b"\x28\xb5\x2f\xfd", "application/zstd"),
    (b"7z\xbc\xaf\x27\x1c", "application/x-7z-compressed"),
    (b"Rar!\x1a\x07", "application/vnd.rar"),
)

_ZIPPED = frozenset(
    media_type
    for media_type in LATER
    if media_type.startswith(("application/vnd.o", "application/vnd.ms-office"))
    or media_type in ("application/epub+zip", "application/x-iwork", "application/x-xmind", "application/ofd")
)
_OLE = frozenset(MEDIA_TYPES[suffix] for suffix in (".doc", ".xls", ".ppt", ".msg", ".wps", ".hwp"))
MAGIC_FAMILIES: dict[str, frozenset[str]] = {
    "application/zip": _ZIPPED,
    "application/x-ole-storage": _OLE | _ZIPPED,  # an Office file with a password is OLE2 outside
}
