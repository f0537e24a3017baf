package io.leasehold.sample.show;

import java.util.List;
import java.util.Optional;

import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.stereotype.Component;

/**
 * The sales that all instances share.
 */
@Component
class Sales {

	private static final String LATEST = """
			SELECT id, units, left_over, buyers, locked, ended IS NULL AS running,
				EXTRACT(EPOCH FROM COALESCE(ended, CURRENT_TIMESTAMP) - started) AS seconds,
				(SELECT COUNT(*) FROM purchase WHERE sale_id = sale.id) AS sold,
				(SELECT COUNT(*) FROM purchase one WHERE one.sale_id = sale.id AND NOT EXISTS (
					SELECT 1 FROM purchase other
					WHERE other.sale_id = one.sale_id AND other.unit = one.unit AND other.id <> one.id)) AS sold_once
			FROM sale WHERE id IN (SELECT MAX(id) FROM sale GROUP BY locked) ORDER BY id DESC""";

	private final JdbcClient jdbc;

	Sales(JdbcClient jdbc) {
		this.jdbc = jdbc;
	}

	/** Start a sale; the one before is over. */
	long start(int units, int buyers, boolean locked) {
		this.jdbc.sql("UPDATE sale SET ended = CURRENT_TIMESTAMP WHERE ended IS NULL").update();
		return this.jdbc
			.sql("SELECT id FROM FINAL TABLE (INSERT INTO sale (units, left_over, buyers, locked) VALUES (?, ?, ?, ?))")
			.params(units, units, buyers, locked)
			.query(Long.class)
			.single();
	}

	/** Return the latest sale with the lock and the latest without it, newest first. */
	List<Sale> latest() {
		return this.jdbc.sql(LATEST).query(Sale.class).list();
	}

	/** Return the running sale, if any. */
	Optional<Sale> running() {
		return latest().stream().filter(Sale::running).findFirst();
	}

	boolean isRunning(long saleId) {
		return this.jdbc.sql("SELECT COUNT(*) FROM sale WHERE id = ? AND ended IS NULL")
			.param(saleId)
			.query(Integer.class)
			.single() > 0;
	}

	void end(long saleId) {
		this.jdbc.sql("UPDATE sale SET ended = CURRENT_TIMESTAMP WHERE id = ? AND ended IS NULL")
			.param(saleId)
			.update();
	}

}
