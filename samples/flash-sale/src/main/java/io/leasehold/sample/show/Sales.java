package io.leasehold.sample.show;

import java.util.Optional;

import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.stereotype.Component;

/**
 * The sales that all instances share.
 */
@Component
class Sales {

	private static final String SALE = """
			SELECT id, units, left_over, buyers, locked, ended IS NULL AS running,
				EXTRACT(EPOCH FROM COALESCE(ended, CURRENT_TIMESTAMP) - started) AS seconds,
				(SELECT COUNT(*) FROM purchase WHERE sale_id = sale.id) AS sold
			FROM sale ORDER BY id DESC LIMIT 1""";

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

	Optional<Sale> latest() {
		return this.jdbc.sql(SALE).query(Sale.class).optional();
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
