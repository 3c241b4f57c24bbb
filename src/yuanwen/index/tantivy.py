"""The default index: a folder of tantivy segments beside the library file. The home of `tantivy`."""

import os
import threading
import time
from collections.abc import Iterable, Sequence

import tantivy
from tantivy import Occur, Query

from yuanwen import analysis
from yuanwen.errors import Busy
from yuanwen.index import (
    NO_FILTERS,
    WORD_LIMIT,
    All,
    AnyTerm,
    Clause,
    Entry,
    Everything,
    Field,
    Filters,
    Found,
    Part,
    Phrase,
    Prefix,
    Some,
    Term,
    fits,
    words_with,
)
from yuanwen.store.reading import START, Position

FORMAT = 1  # of the schema below
HEAP_BYTES = 256_000_000
LOCK_SECONDS = 60.0
_POSITION = "position"  # the one document that is not a passage carries this in `mark`


def _schema() -> tantivy.Schema:
    builder = tantivy.SchemaBuilder()
    builder.add_unsigned_field("passage", fast=True, indexed=True)
    builder.add_unsigned_field("document", fast=True, indexed=True)
    builder.add_integer_field("dated", fast=True, indexed=True)
    builder.add_text_field("text", tokenizer_name="spaces", index_option="position")
    builder.add_text_field("title", tokenizer_name="spaces", index_option="position")
    builder.add_text_field("terms", tokenizer_name="spaces", index_option="freq")
    builder.add_text_field("media_type", tokenizer_name="raw", index_option="basic")
    builder.add_text_field("tag", tokenizer_name="raw", index_option="basic")
    builder.add_text_field("mark", tokenizer_name="raw", index_option="basic")
    builder.add_text_field("position", stored=True, tokenizer_name="raw", index_option="basic")
    return builder.build()


class _View(threading.local):
    """What a thread sees of an index: a commit, until it looks again. Another thread may be at a later one."""

    searcher: tantivy.Searcher | None = None
    words: str | None = None
    parts_asked = 0


class TantivyIndex:
    """An index in a folder of its own, named after the format and the rules that made it."""

    def __init__(self, folder: str, name: str) -> None:
        self._home = folder
        self._folder = os.path.join(folder, f"tantivy-{FORMAT}-{analysis.VERSION}-{name}")
        self._index: tantivy.Index | None = None
        self._view = _View()

    def refresh(self) -> Position:
        index = self._opened()
        if index is None:
            return START
        index.reload()
        view = self._view
        view.searcher, view.words, view.parts_asked = index.searcher(), None, 0
        return self._position(view.searcher)

    def update(
        self,
        expected: Position,
        position: Position,
        gone: Iterable[int],
        entries: Iterable[Entry],
        *,
        wait: bool = True,
    ) -> bool:
        writer = self._writer(wait)
        try:
            writer.garbage_collect_files()  # a file left by a killed process would be in the way of ours
            if self.refresh() != expected:
                return False
            # The first operation of a writer shares its stamp with the last commit: a merge that a killed process left
            # to be done takes that for applied, and loses it. So the first is one that does not count.
            writer.delete_documents_by_term("mark", "none")
            for document in gone:
                writer.delete_documents_by_query(Query.term_query(SCHEMA, "document", document))
            for entry in entries:
                writer.add_document(_document(entry))
            writer.delete_documents_by_term("mark", _POSITION)
            writer.add_document(_position_document(position))
            writer.commit()
        finally:
            writer.wait_merging_threads()
        self.refresh()
        return True

    def clear(self, *, wait: bool = True) -> None:
        if os.path.exists(self._folder):
            self._writer(wait).wait_merging_threads()  # nobody else is writing
            self.close()
            _remove(self._folder)

    def search(self, clause: Clause, filters: Filters = NO_FILTERS, *, limit: int, count: bool = False) -> Found:
        searcher = self._view.searcher
        if searcher is None:
            return Found((), 0)
        query = _filtered(self._query(clause), filters)
        result = searcher.search(query, limit, count=count)
        addresses = [address for _, address in result.hits]
        passages = searcher.fast_field_values("passage", addresses)
        hits = tuple((int(p), float(s)) for p, (s, _) in zip(passages, result.hits, strict=True) if p is not None)
        return Found(hits, result.count if count else None)  # type: ignore[attr-defined]

    def frequencies(self, field: Field, tokens: Sequence[str]) -> list[int]:
        if self._view.searcher is None:
            return [0] * len(tokens)
        return [self._view.searcher.doc_freq(field, token) for token in tokens]

    def starting(self, start: str, limit: int) -> list[tuple[str, int]]:
        if self._view.searcher is None:
            return []
        return list(self._view.searcher.terms_with_prefix("text", start, limit=limit))

    def words(self, part: str, limit: int) -> list[str] | None:
        if self._view.searcher is None:
            return []
        if self._view.words is None:
            self._view.words = "\n".join(word for word, _ in self._view.searcher.terms_with_prefix("text", "_"))
        return words_with(self._view.words, part, limit)

    def entries(self) -> int:
        if self._view.searcher is None:
            return 0
        return max(0, self._view.searcher.num_docs - 1)  # less the one that carries the position

    def size(self) -> int:
        files = (os.path.join(folder, name) for folder, _, names in os.walk(self._home) for name in names)
        return sum(map(_bytes, files))

    def problems(self) -> list[str]:
        try:
            self.refresh()
            if self._view.searcher is not None:
                self._view.searcher.search(Query.all_query(), 1)
        except (OSError, ValueError, SystemError) as error:
            return [f"the index cannot be read: {error}"]
        return []

    def close(self) -> None:
        self._index, self._view = None, _View()

    def _opened(self, *, create: bool = False) -> tantivy.Index | None:
        if self._index is None:
            exists = os.path.isdir(self._folder) and tantivy.Index.exists(self._folder)
            if not exists and not create:
                return None
            os.makedirs(self._folder, exist_ok=True)
            index = self._made()
            spaces = tantivy.TextAnalyzerBuilder(tantivy.Tokenizer.whitespace()).build()
            index.register_tokenizer("spaces", spaces)
            index.config_reader("manual")
            self._index = index
        return self._index

    def _part(self, clause: Part) -> Query:
        if clause.place == "start":
            return self._query(Prefix(f"_{clause.part}"))
        self._view.parts_asked += 1
        if self._view.parts_asked == 1:  # listing all words takes six times as long as this, and pays from the next on
            return Query.regex_query(SCHEMA, "text", f"_.*{clause.part}" + (".*" if clause.place == "inside" else ""))
        words = self.words(clause.part, WORD_LIMIT)
        return self._query(Prefix("_")) if words is None else _any("text", [w for w in words if fits(w, clause)])

    def _made(self) -> tantivy.Index:
        try:
            return tantivy.Index(SCHEMA, path=self._folder)
        except ValueError:  # damaged, or of another schema: it is derived data, and made anew
            _remove(self._folder)
            os.mkdir(self._folder)
            return tantivy.Index(SCHEMA, path=self._folder)

    def _writer(self, wait: bool = True) -> tantivy.IndexWriter:
        index = self._opened(create=True)
        assert index is not None
        deadline = time.monotonic() + LOCK_SECONDS
        while True:
            try:
                return index.writer(HEAP_BYTES, 1)
            except ValueError as error:
                if "lock" not in str(error).lower():
                    raise
                if not wait or time.monotonic() > deadline:
                    raise Busy(
                        "the index is busy: another process has been writing for {seconds} seconds",
                        hint="Try again when it has finished.",
                        seconds=int(LOCK_SECONDS),
                    ) from error
                time.sleep(0.05)

    @staticmethod
    def _position(searcher: tantivy.Searcher) -> Position:
        found = searcher.search(_term("mark", _POSITION), 1, count=False).hits
        if not found:
            return START
        seq, _, stamp = str(searcher.doc(found[0][1])["position"][0]).partition(" ")
        return Position(int(seq), stamp)

    def _query(self, clause: Clause) -> Query:
        match clause:
            case Term(field, token, weight):
                query = _term(field, token)
                return query if weight == 1.0 else Query.boost_query(query, weight)
            case Phrase(tokens, field):
                if len(tokens) == 1:
                    return _term(field, tokens[0])
                return Query.phrase_query(SCHEMA, field, list(tokens))
            case Prefix(prefix, field):
                assert self._view.searcher is not None
                return _any(field, [token for token, _ in self._view.searcher.terms_with_prefix(field, prefix)])
            case Part():
                return self._part(clause)
            case AnyTerm(tokens, field):
                return _any(field, tokens)
            case Some(parts):
                return Query.boolean_query([(Occur.Should, self._query(part)) for part in parts])
            case All(parts, but, rather):
                kinds = ((Occur.Must, parts), (Occur.MustNot, but), (Occur.Should, rather))
                return Query.boolean_query([(kind, self._query(part)) for kind, group in kinds for part in group])
            case Everything():
                return _passages()


SCHEMA = _schema()


def _term(field: str, token: str) -> Query:
    return Query.term_query(SCHEMA, field, token, "freq" if field in ("text", "title", "terms") else "basic")


def _any(field: str, tokens: Sequence[str]) -> Query:
    return Query.term_set_query(SCHEMA, field, list(tokens)) if tokens else Query.empty_query()


def _passages() -> Query:
    mark = (Occur.MustNot, _term("mark", _POSITION))
    return Query.boolean_query([(Occur.Must, Query.all_query()), mark])


def _filtered(query: Query, filters: Filters) -> Query:
    if filters == NO_FILTERS:
        return query
    must: list[Query] = []
    if filters.documents is not None:
        must.append(Query.term_set_query(SCHEMA, "document", sorted(filters.documents)))
    if filters.media_types is not None:
        must.append(_any("media_type", filters.media_types))
    must += [_term("tag", tag) for tag in filters.tags]
    if filters.since is not None or filters.until is not None:
        kind = tantivy.FieldType.Integer
        must.append(Query.range_query(SCHEMA, "dated", kind, filters.since, filters.until, True, True))
    conditions = [(Occur.Must, Query.const_score_query(condition, 0.0)) for condition in must]
    unwanted = [(Occur.MustNot, _term("tag", tag)) for tag in filters.unwanted_tags]
    return Query.boolean_query([(Occur.Must, query), *conditions, *unwanted])


def _document(entry: Entry) -> tantivy.Document:
    document = tantivy.Document()
    document.add_unsigned("passage", entry.passage)
    document.add_unsigned("document", entry.document)
    document.add_integer("dated", entry.dated)
    document.add_text("text", entry.text)
    document.add_text("title", entry.title)
    document.add_text("terms", entry.terms)
    document.add_text("media_type", entry.media_type)
    for tag in entry.tags:
        document.add_text("tag", tag)
    return document


def _position_document(position: Position) -> tantivy.Document:
    document = tantivy.Document()
    document.add_text("mark", _POSITION)
    document.add_text("position", f"{position.seq} {position.stamp}")
    return document


def _bytes(file: str) -> int:
    try:
        return os.path.getsize(file)
    except OSError:  # merged away by now
        return 0


def _remove(folder: str) -> None:
    from shutil import rmtree

    rmtree(folder)
