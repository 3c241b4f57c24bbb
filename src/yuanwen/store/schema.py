"""The tables of a library, and the steps from each older format to the next."""

KEY_LENGTH = 12  # hex digits of text_sha256 in a passage id
APPLICATION_ID = 0x79756177  # "yuaw": tells a library from any other SQLite file

# A migration takes a library from format n (its place in this tuple) to n + 1, in one transaction.
MIGRATIONS: tuple[str, ...] = (
    """
    -- one row: what a search wants to know before it starts; `generation` and `stamp` are those of the last change
    CREATE TABLE totals(
        generation INTEGER NOT NULL, stamp TEXT NOT NULL, documents INTEGER NOT NULL, passages INTEGER NOT NULL,
        characters INTEGER NOT NULL, index_kind TEXT NOT NULL, created TEXT NOT NULL);

    CREATE TABLE roots(
        id INTEGER PRIMARY KEY, path ANY NOT NULL UNIQUE, tags TEXT NOT NULL, include TEXT NOT NULL,
        exclude TEXT NOT NULL);

    -- every file that a root holds: indexed (`reason` is null) or skipped
    CREATE TABLE files(
        id INTEGER PRIMARY KEY, path ANY NOT NULL UNIQUE, size INTEGER NOT NULL, mtime_ns INTEGER NOT NULL,
        sha256 TEXT, extractor TEXT, reason TEXT, hint TEXT);

    -- a file is one document, or many: `name` tells them apart; `current` is null once the file is gone
    CREATE TABLE documents(
        id INTEGER PRIMARY KEY AUTOINCREMENT, path ANY NOT NULL, name TEXT NOT NULL, source TEXT NOT NULL,
        tags TEXT NOT NULL, added TEXT NOT NULL, current INTEGER REFERENCES versions(id) DEFERRABLE INITIALLY DEFERRED,
        UNIQUE(path, name));
    CREATE INDEX documents_source ON documents(source);

    CREATE TABLE versions(
        id INTEGER PRIMARY KEY, document_id INTEGER NOT NULL REFERENCES documents(id), sha256 TEXT NOT NULL,
        text_sha256 TEXT NOT NULL, title TEXT NOT NULL, media_type TEXT NOT NULL, author TEXT NOT NULL,
        dated TEXT NOT NULL, encoding TEXT NOT NULL, replaced INTEGER NOT NULL, extractor TEXT NOT NULL,
        added TEXT NOT NULL, passages INTEGER NOT NULL, characters INTEGER NOT NULL);
    CREATE INDEX versions_document ON versions(document_id);
    CREATE INDEX versions_text ON versions(text_sha256);

    -- never changed once written; versions of a document share what did not change between them; no id is used
    -- twice, so that an index which is behind cannot take one passage for another
    CREATE TABLE passages(
        id INTEGER PRIMARY KEY AUTOINCREMENT, document_id INTEGER NOT NULL REFERENCES documents(id), label TEXT,
        title TEXT, heading TEXT, tags TEXT, dated TEXT, text TEXT NOT NULL);
    CREATE INDEX passages_document ON passages(document_id);
    CREATE INDEX passages_label ON passages(label) WHERE label IS NOT NULL;

    -- which passages tile a version, and where each starts
    CREATE TABLE spans(
        version_id INTEGER NOT NULL REFERENCES versions(id), ordinal INTEGER NOT NULL,
        passage_id INTEGER NOT NULL REFERENCES passages(id), start INTEGER NOT NULL, paragraph INTEGER NOT NULL,
        PRIMARY KEY(version_id, ordinal)) WITHOUT ROWID;
    CREATE INDEX spans_passage ON spans(passage_id);

    -- what the indexes have to catch up with; the random stamp tells an index that is ahead of this file (an older
    -- copy was put back, or power was lost) from one that is behind it
    CREATE TABLE changes(seq INTEGER PRIMARY KEY AUTOINCREMENT, document_id INTEGER NOT NULL, stamp TEXT NOT NULL);
    """,
    """
    -- where a passage stands in terms of its format, and what has to be known about stretches of it; null for nothing
    ALTER TABLE spans ADD COLUMN place TEXT;
    ALTER TABLE spans ADD COLUMN marks TEXT;
    -- parts of an indexed file that could not be read: a list of [source, reason, hint, by_rule]
    ALTER TABLE files ADD COLUMN unread TEXT;
    """,
    """
    -- words that count as the same: those with one `group`; `key` is what a word is compared by
    CREATE TABLE synonyms(
        id INTEGER PRIMARY KEY, key TEXT NOT NULL UNIQUE, word TEXT NOT NULL, "group" INTEGER NOT NULL);
    CREATE INDEX synonyms_group ON synonyms("group");
    """,
    """
    -- models that embed: the one whose vectors are searched, and the one that is wanted, which is the same once all
    -- current passages have its vectors; that was so after the change `generation`. `mean` is what each vector is the
    -- distance from. `last` and `stamp` are those of the last row of vectors; `epoch` is another whenever some went.
    CREATE TABLE models(
        id INTEGER PRIMARY KEY AUTOINCREMENT, name TEXT NOT NULL, fingerprint TEXT NOT NULL,
        dimensions INTEGER NOT NULL, is_searched INTEGER NOT NULL, is_wanted INTEGER NOT NULL,
        generation INTEGER NOT NULL, last INTEGER NOT NULL, stamp INTEGER NOT NULL, epoch TEXT NOT NULL, mean BLOB);

    -- one row a passage, of as many vectors as it has chunks: `scales` are float32, `vectors` int8, one after another;
    -- empty where nothing in it can be embedded. The random stamp is that of the transaction.
    CREATE TABLE vectors(
        id INTEGER PRIMARY KEY AUTOINCREMENT, model_id INTEGER NOT NULL REFERENCES models(id),
        passage_id INTEGER NOT NULL REFERENCES passages(id) ON DELETE CASCADE, stamp INTEGER NOT NULL,
        scales BLOB NOT NULL, vectors BLOB NOT NULL, UNIQUE(passage_id, model_id));
    CREATE TRIGGER vectors_went AFTER DELETE ON vectors BEGIN
        UPDATE models SET epoch = lower(hex(randomblob(6))) WHERE id = old.model_id;
    END;
    """,
)
FORMAT = len(MIGRATIONS)
