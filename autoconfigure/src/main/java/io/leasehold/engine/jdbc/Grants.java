package io.leasehold.engine.jdbc;

import java.sql.SQLException;
import java.util.Set;

import io.leasehold.LockKey;
import io.leasehold.engine.Claim;
import org.jspecify.annotations.Nullable;

/**
 * The grants of one kind of access. All times are microseconds of the database's clock.
 */
interface Grants {

	/**
	 * Give a row to a claim if nothing stands against it, and the request is not late.
	 * @param latest until when that may happen, by the database's clock
	 * @return the number of the grant, or {@code null} if the row is busy or missing, or
	 * if the claim has a grant already that is to be {@linkplain #renew renewed}
	 */
	@Nullable Long take(Session session, RowId id, Claim claim, long latest) throws SQLException;

	/**
	 * Insert a row and give it to a claim, unless the request is late.
	 * @param latest until when that may happen, by the database's clock
	 * @return the number of the grant, or {@code null} if there is such a row, or it is
	 * too late
	 */
	@Nullable Long insert(Session session, RowId id, Claim claim, long latest) throws SQLException;

	/**
	 * End the grant of an owner, up to its min hold.
	 * @return for how many microseconds another claim is known to wait, or {@code null}
	 * if the owner has no grant, or none any more
	 */
	@Nullable Long free(Session session, RowId id, String owner) throws SQLException;

	/**
	 * End the grant of an owner, up to its min hold, behind all requests that the
	 * database executes for the row at the moment.
	 * @return as {@link #free}
	 */
	@Nullable Long freeBehind(Session session, RowId id, LockKey key, String owner) throws SQLException;

	/**
	 * Extend leases.
	 * @return the owners of those that were extended
	 */
	Set<String> renew(Session session, RenewalBatch batch) throws SQLException;

}
