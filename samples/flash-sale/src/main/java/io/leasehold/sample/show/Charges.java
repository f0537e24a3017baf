package io.leasehold.sample.show;

import java.util.List;

import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.stereotype.Component;

/**
 * The requests to the payment provider.
 */
@Component
class Charges {

	private static final String AT_ONCE = """
			SELECT COUNT(*) AS together FROM charge one
			JOIN charge other ON other.requested <= one.requested AND other.responded > one.requested
			WHERE one.order_id IN (:orders) GROUP BY one.id ORDER BY together DESC LIMIT 1""";

	private final JdbcClient jdbc;

	Charges(JdbcClient jdbc) {
		this.jdbc = jdbc;
	}

	/** Return the greatest number of concurrent requests for some orders. */
	int mostAtOnce(List<Long> orders) {
		return this.jdbc.sql(AT_ONCE).param("orders", orders).query(Integer.class).single();
	}

}
