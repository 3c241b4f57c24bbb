"""Word documents made for a test, from the XML of their body."""

from xml.sax.saxutils import escape

from extracted import only
from office_files import OFFICE, PACKAGE, relationships, zipped

from yuanwen.absence import Skip
from yuanwen.documents import Extracted, Raw
from yuanwen.extract import extract
from yuanwen.extract.formats import DOCX

NAMESPACES = (
    'xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main"'
    ' xmlns:m="http://schemas.openxmlformats.org/officeDocument/2006/math"'
    ' xmlns:a="http://schemas.openxmlformats.org/drawingml/2006/main"'
    ' xmlns:c="http://schemas.openxmlformats.org/drawingml/2006/chart"'
    ' xmlns:dgm="http://schemas.openxmlformats.org/drawingml/2006/diagram"'
    ' xmlns:mc="http://schemas.openxmlformats.org/markup-compatibility/2006"'
    ' xmlns:o="urn:schemas-microsoft-com:office:office"'
    ' xmlns:v="urn:schemas-microsoft-com:vml"'
    f' xmlns:r="{OFFICE}"'
)


def docx(body: str, *related: tuple[str, str], main: str = "word/document.xml", **parts: str) -> bytes:
    """Return a document with this body; `parts` stand beside it, `related` are (kind, name) of more."""
    kinds = [(kind, f"{kind}.xml") for kind in parts] + list(related)
    files = {
        "[Content_Types].xml": f'<Types xmlns="{PACKAGE}/content-types"/>',
        "_rels/.rels": relationships(
            ("r1", "officeDocument", main),
            ("r2", f"{PACKAGE}/relationships/metadata/core-properties", "core.xml"),
        ),
        main: f"<w:document {NAMESPACES}><w:body>{body}</w:body></w:document>",
        f"word/_rels/{main.rpartition('/')[2]}.rels": relationships(
            *((target.partition(".")[0], kind, target) for kind, target in kinds)
        ),
    } | {f"word/{kind}.xml": f"<w:{kind} {NAMESPACES}>{content}</w:{kind}>" for kind, content in parts.items()}
    return zipped(files)


def p(words: str, properties: str = "") -> str:
    """Return a paragraph."""
    return f"<w:p><w:pPr>{properties}</w:pPr>{r(words)}</w:p>"


def r(words: str, properties: str = "") -> str:
    """Return a run."""
    return f'<w:r><w:rPr>{properties}</w:rPr><w:t xml:space="preserve">{escape(words)}</w:t></w:r>'


def table(*rows: tuple[str, ...]) -> str:
    """Return a table of rows of cells, given as the paragraphs in them."""
    cells = ("".join(f"<w:tc><w:tcPr/>{cell}</w:tc>" for cell in row) for row in rows)
    return "<w:tbl><w:tblPr/>" + "".join(f"<w:tr>{row}</w:tr>" for row in cells) + "</w:tbl>"


def read(data: bytes) -> tuple[Extracted | Skip, ...]:
    """Return what is found in a document."""
    return extract(Raw(name="a.docx", data=data, media_type=DOCX))


def one(data: bytes) -> Extracted:
    """Return the document, which has no part that cannot be read."""
    return only(read(data))


def text(body: str) -> str:
    """Return the text of a document with this body."""
    return one(docx(body)).text


STYLES = (
    '<w:style w:type="paragraph" w:default="1" w:styleId="a"><w:name w:val="Normal"/></w:style>'
    '<w:style w:type="paragraph" w:styleId="1"><w:name w:val="heading 1"/><w:basedOn w:val="a"/></w:style>'
    '<w:style w:type="paragraph" w:styleId="2"><w:name w:val="节"/><w:pPr><w:outlineLvl w:val="1"/>'
    '<w:numPr><w:numId w:val="1"/></w:numPr></w:pPr></w:style>'
    '<w:style w:type="paragraph" w:styleId="3"><w:name w:val="小节"/><w:basedOn w:val="2"/></w:style>'
    '<w:style w:type="paragraph" w:styleId="4"><w:name w:val="正文"/><w:basedOn w:val="1"/>'
    '<w:pPr><w:outlineLvl w:val="9"/></w:pPr></w:style>'
    '<w:style w:type="paragraph" w:styleId="T"><w:name w:val="Title"/></w:style>'
)


def styled(words: str, style: str, more: str = "") -> str:
    """Return a paragraph in a style."""
    return p(words, f'<w:pStyle w:val="{style}"/>{more}')


def level(number: int, form: str, pattern: str, more: str = "") -> str:
    """Return a level of a list."""
    return (
        f'<w:lvl w:ilvl="{number}"><w:start w:val="1"/><w:numFmt w:val="{form}"/>{more}'
        f'<w:lvlText w:val="{pattern}"/></w:lvl>'
    )


NUMBERING = (
    '<w:abstractNum w:abstractNumId="7">'
    + level(0, "chineseCountingThousand", "第%1条")
    + level(1, "decimal", "%1.%2", '<w:pStyle w:val="2"/><w:isLgl/>')
    + level(2, "lowerLetter", "(%3)")
    + level(3, "bullet", "●")
    + '</w:abstractNum><w:num w:numId="1"><w:abstractNumId w:val="7"/></w:num>'
    '<w:num w:numId="2"><w:abstractNumId w:val="7"/>'
    '<w:lvlOverride w:ilvl="0"><w:startOverride w:val="10"/></w:lvlOverride></w:num>'
)


def listed(words: str, number: int, at: int) -> str:
    """Return a paragraph of a list of NUMBERING, at a level of it."""
    return p(words, f'<w:numPr><w:ilvl w:val="{at}"/><w:numId w:val="{number}"/></w:numPr>')


def numbers(document: Extracted) -> list[tuple[str, str]]:
    """Return the automatic numbers, each with the line that it stands before."""
    return [(m.note, document.text[m.start :].partition("\n")[0]) for m in document.marks if m.kind == "number"]
