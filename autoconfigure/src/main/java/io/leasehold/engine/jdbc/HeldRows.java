package io.leasehold.engine.jdbc;

import java.nio.charset.StandardCharsets;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

import io.leasehold.LockKey;
import io.leasehold.engine.HeldKeys;
import io.leasehold.engine.Holder;
import io.leasehold.engine.support.KeyNames;
import org.jspecify.annotations.Nullable;

/**
 * List of the rows that have holders. Idle rows may be numerous and no index excludes
 * them, so the list reads windows of rows in the order of the primary key. It locks no
 * row. Thread-safe.
 */
record HeldRows(LockDatabase database) implements HeldKeys {

	/** Number of rows in a window. */
	private static final int WINDOW = 1000;

	private static final int MOST_WINDOWS = 10;

	private static final int ID_LENGTH = 32;

	private static final String END = "SELECT id FROM {table} WHERE id > ? ORDER BY id LIMIT 1 OFFSET ?";

	private static final String HELD = """
			SELECT id, lock_key, %s
			FROM {table} WHERE id > ? AND id <= ? AND namespace = ? AND %s AND expires_at > {now}
			UNION ALL SELECT r.id, r.lock_key, h.owner, h.grant_number, h.granted_at, h.expires_at - {now}, 0, 0
			FROM {table} r JOIN {holders} h ON h.lock_id = r.id
			WHERE r.id > ? AND r.id <= ? AND r.namespace = ? AND h.expires_at > {now} ORDER BY id, own_number"""
		.formatted(LockTable.HOLDER, LockTable.NOT_RELEASED);

	@Override
	public Page list(String prefix, @Nullable String after, int limit) {
		byte[] position = position(after);
		return this.database.call(CallKind.ACQUIRE, "list the held locks", null,
				(session, tables) -> list(session, tables.sql(), prefix, position, limit));
	}

	/** Parse a position, or return that before all rows for {@code null}. */
	private static byte[] position(@Nullable String after) {
		if (after == null) {
			return new byte[ID_LENGTH];
		}
		if (!after.matches("[0-9a-f]{64}")) {
			throw HeldKeys.noPosition(after);
		}
		return HexFormat.of().parseHex(after);
	}

	/**
	 * Return the held keys after a position, from one window at least, and for half of
	 * the session's time at most.
	 */
	private Page list(Session session, Sql sql, String prefix, byte[] after, int limit) throws SQLException {
		Duration half = session.left().dividedBy(2);
		Map<LockKey, List<Holder>> found = new LinkedHashMap<>();
		byte[] last = after;
		for (int i = 0; i < MOST_WINDOWS && found.size() < limit
				&& (i == 0 || session.left().compareTo(half) > 0); i++) {
			byte[] begin = last;
			List<byte[]> ends = sql.query(session, END, (row, index) -> row.getBytes(1), begin, WINDOW - 1);
			byte[] end = ends.isEmpty() ? greatestId() : ends.get(0);
			for (Row row : rows(session, sql, begin, end)) {
				LockKey key = KeyNames.parse(row.key(), StandardCharsets.UTF_8);
				if (key == null || !key.value().startsWith(prefix)
						|| !this.database.id(key).equals(new RowId(row.id()))) {
					continue;
				}
				if (found.size() == limit && !found.containsKey(key)) {
					return page(found, last);
				}
				found.computeIfAbsent(key, (first) -> new ArrayList<>()).add(row.holder());
				last = row.id();
			}
			if (ends.isEmpty()) {
				return page(found, null);
			}
			last = end;
		}
		return page(found, last);
	}

	private static List<Row> rows(Session session, Sql sql, byte[] begin, byte[] end) throws SQLException {
		String namespace = sql.settings().namespace();
		return sql.query(session, HELD,
				(row, index) -> new Row(row.getBytes("id"), row.getString("lock_key"), LockTable.holder(row)), begin,
				end, namespace, begin, end, namespace);
	}

	private static byte[] greatestId() {
		byte[] id = new byte[ID_LENGTH];
		Arrays.fill(id, (byte) -1);
		return id;
	}

	private static Page page(Map<LockKey, List<Holder>> found, byte @Nullable [] next) {
		return new Page(found.entrySet().stream().map((held) -> new HeldKey(held.getKey(), held.getValue())).toList(),
				(next != null) ? HexFormat.of().formatHex(next) : null);
	}

	/** Row with one of its holders. */
	private record Row(byte[] id, String key, Holder holder) {
	}

}
