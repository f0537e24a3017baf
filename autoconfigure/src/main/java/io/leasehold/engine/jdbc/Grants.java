package io.leasehold.engine.jdbc;

import java.sql.SQLException;
import java.util.Set;

import io.leasehold.engine.Claim;
import org.jspecify.annotations.Nullable;

/**
 * Grants of one kind of access. All times are microseconds of the database's clock.
 */
interface Grants {

	/**
	 * Grant a row to a claim if it is available and the request is not late.
	 * @param latest time after which the request is late, by the database's clock
	 * @return the grant number, or {@code null} if the row is busy or missing, the
	 * request is late, or the claim already has a grant that must be {@linkplain #renew
	 * renewed}
	 */
	@Nullable Long take(Session session, RowId id, Claim claim, long latest) throws SQLException;

	/**
	 * Insert a row and grant it to a claim, unless the request is late.
	 * @param latest time after which the request is late, by the database's clock
	 * @return the grant number, or {@code null} if the row exists or the request is late
	 */
	@Nullable Long insert(Session session, RowId id, Claim claim, long latest) throws SQLException;

	/**
	 * End the grant of an owner. A minimum hold continues.
	 * @return for how many microseconds another claim is known to wait, or {@code null}
	 * if the owner has no grant
	 */
	@Nullable Long free(Session session, RowId id, String owner) throws SQLException;

	/** Extend leases, and return the owners of those that were extended. */
	Set<String> renew(Session session, RenewalBatch batch) throws SQLException;

}
