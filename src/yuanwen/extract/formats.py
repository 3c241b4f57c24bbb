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

DOCX = "application/vnd.openxmlformats-officedocument.wordprocessingml.document"
XLSX = "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet"
PPTX = "application/vnd.openxmlformats-officedocument.presentationml.presentation"
ODT = "application/vnd.oasis.opendocument.text"
ODS = "application/vnd.oasis.opendocument.spreadsheet"
ODP = "application/vnd.oasis.opendocument.presentation"
ENCRYPTED = "application/x-ole-encrypted"

_BINARY = {
    ("application/pdf", "PDF"): "pdf",
    (DOCX, "Word (DOCX)"): "docx docm dotx dotm",
    (XLSX, "Excel (XLSX)"): "xlsx xlsm xltx xltm",
    (PPTX, "PowerPoint (PPTX)"): "pptx pptm ppsx ppsm potx potm",
    ("application/vnd.ms-excel.sheet.binary", "Excel (XLSB)"): "xlsb",
    (ODT, "OpenDocument text"): "odt ott",
    (ODS, "OpenDocument spreadsheet"): "ods ots",
    (ODP, "OpenDocument presentation"): "odp otp",
    ("application/epub+zip", "EPUB"): "epub",
    ("application/msword", "Word (DOC)"): "doc dot wps",
    ("application/vnd.ms-excel", "Excel (XLS)"): "xls xlt et",
    ("application/vnd.ms-powerpoint", "PowerPoint (PPT)"): "ppt pps dps",
    ("application/rtf", "RTF"): "rtf",
    ("application/vnd.ms-outlook", "Outlook mail (MSG)"): "msg",
    ("message/rfc822", "mail (EML)"): "eml mht mhtml",
    ("application/mbox", "mail (MBOX)"): "mbox",
    ("application/zip", "ZIP"): "zip",
    ("application/x-tar", "TAR"): "tar",
    ("application/gzip", "compressed data (gzip)"): "gz tgz",
    ("application/x-bzip2", "compressed data (bzip2)"): "bz2 tbz2",
    ("application/x-xz", "compressed data (xz)"): "xz txz",
    ("image/png", "PNG image"): "png",
    ("image/jpeg", "JPEG image"): "jpg jpeg",
    ("image/gif", "GIF image"): "gif",
    ("image/webp", "WebP image"): "webp",
    ("image/tiff", "TIFF image"): "tif tiff",
    ("image/bmp", "BMP image"): "bmp",
    ("image/heic", "HEIC image"): "heic heif",
    (ENCRYPTED, "Microsoft Office with a password"): "",
    ("application/x-ole-storage", "Microsoft Office (before 2007)"): "",
    ("application/x-iwork", "Apple iWork"): "pages numbers",
    ("application/x-xmind", "XMind"): "xmind",
    ("application/ofd", "OFD"): "ofd",
    ("application/x-hwp", "Hangul (HWP)"): "hwp",
    ("application/x-mobipocket-ebook", "Kindle"): "mobi azw azw3",
    ("application/vnd.ms-htmlhelp", "CHM"): "chm",
    ("image/vnd.djvu", "DjVu"): "djvu djv",
    ("application/x-caj", "CAJ"): "caj",
    ("application/zstd", "compressed data (zstd)"): "zst",
    ("application/x-7z-compressed", "7-Zip"): "7z",
    ("application/vnd.rar", "RAR"): "rar",
}

# Suffix -> media type.
MEDIA_TYPES: dict[str, str] = {
    f".{suffix}": media_type for media_type, suffixes in _TEXT.items() for suffix in suffixes.split()
} | {f".{suffix}": media_type for (media_type, _), suffixes in _BINARY.items() for suffix in suffixes.split()}

# Media types of files that are no plain text, with the name that people know.
NAMES: dict[str, str] = dict(_BINARY.keys())

# First bytes -> media type. They win over the suffix.
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

# What a ZIP file holds -> media type, the first that is there; else it is an archive.
ZIPPED: tuple[tuple[str, str], ...] = (
    ("word/document.xml", DOCX),
    ("xl/workbook.bin", "application/vnd.ms-excel.sheet.binary"),
    ("xl/workbook.xml", XLSX),
    ("ppt/presentation.xml", PPTX),
    ("META-INF/container.xml", "application/epub+zip"),
    ("OFD.xml", "application/ofd"),
    ("Index/Document.iwa", "application/x-iwork"),
    ("content.json", "application/x-xmind"),
)
# The part `mimetype` of a ZIP file -> media type; templates count as documents.
MIMETYPES: dict[bytes, str] = {
    b"application/epub+zip": "application/epub+zip",
    b"application/vnd.oasis.opendocument.text": ODT,
    b"application/vnd.oasis.opendocument.spreadsheet": ODS,
    b"application/vnd.oasis.opendocument.presentation": ODP,
}
# The name of a stream of an OLE2 file -> media type, the first that is there.
STREAMS: tuple[tuple[str, str], ...] = (
    ("EncryptedPackage", ENCRYPTED),
    ("WordDocument", "application/msword"),
    ("PowerPoint Document", "application/vnd.ms-powerpoint"),
    ("__properties_version1.0", "application/vnd.ms-outlook"),
    ("Workbook", "application/vnd.ms-excel"),
    ("Book", "application/vnd.ms-excel"),
    ("HwpSummaryInformation", "application/x-hwp"),
)
