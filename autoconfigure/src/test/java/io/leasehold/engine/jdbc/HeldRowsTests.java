package io.leasehold.engine.jdbc;

import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import java.util.stream.IntStream;

import io.leasehold.engine.HeldKeys.Page;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests for {@link HeldRows} on a table with many idle rows.
 */
class HeldRowsTests extends JdbcLockEngineFixture {

	private final String url = "jdbc:h2:mem:" + UUID.randomUUID();

	private final List<String> held = IntStream.range(0, 30).mapToObj((i) -> "held:" + i).toList();

	@Override
	String url() {
		return this.url;
	}

	@Override
	String platform() {
		return "h2";
	}

	@BeforeEach
	void hold() throws SQLException {
		execute("""
				INSERT INTO leasehold_lock (id, namespace, lock_key, grant_number, granted_at, expires_at, lock_delay,
				closed_until, shared_until, turn_until, waited_until, version)
				SELECT HASH('SHA-256', '%1$s' || X), '%1$s', 'held:idle:' || X, 1, 1, 1, 0, 0, 0, 0, 0, 1
				FROM SYSTEM_RANGE(1, 11000)""".formatted(this.namespace));
		this.held.forEach((key) -> granted(claim(key)));
		this.statements.clear();
	}

	@Test
	void pageVisitsALimitedNumberOfRowsAndOnlyReads() {
		Page page = this.engine.heldKeys().list("", null, 500);
		assertThat(page.next()).isNotNull();
		assertThat(this.statements.executed()).hasSizeBetween(2, 20)
			.allMatch((sql) -> sql.startsWith("SELECT") && !sql.contains("FOR UPDATE"));
	}

	@Test
	void eachHeldKeyIsOnOnePage() {
		assertThat(list(500)).containsExactlyInAnyOrderElementsOf(this.held);
		assertThat(list(7)).containsExactlyInAnyOrderElementsOf(this.held);
		assertThat(list(1)).containsExactlyInAnyOrderElementsOf(this.held);
	}

	/** The digest of the row decides, whatever a collation makes of the namespace. */
	@Test
	void rowOfAnotherNamespaceIsNotListed() throws SQLException {
		execute("UPDATE leasehold_lock SET lock_key = 'held:x' WHERE namespace = '%s' AND lock_key = 'held:0'"
			.formatted(this.namespace));
		assertThat(list(500)).containsExactlyInAnyOrderElementsOf(this.held.subList(1, 30));
	}

	private List<String> list(int limit) {
		List<String> keys = new ArrayList<>();
		String next = null;
		do {
			Page page = this.engine.heldKeys().list("held:", next, limit);
			assertThat(page.keys()).hasSizeLessThanOrEqualTo(limit);
			page.keys().forEach((found) -> keys.add(found.key().value()));
			next = page.next();
		}
		while (next != null);
		return keys;
	}

}
