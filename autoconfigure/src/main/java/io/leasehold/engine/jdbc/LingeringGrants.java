package io.leasehold.engine.jdbc;

import java.sql.SQLException;
import java.util.Set;

import io.leasehold.engine.AcquisitionOutcome.Granted;
import io.leasehold.engine.Claim;
import io.leasehold.engine.jdbc.Sql.Change;
import org.jspecify.annotations.Nullable;

import static io.leasehold.engine.jdbc.Sql.micros;

/**
 * Grants of rows to one exclusive owner that linger. The row differs from that of other
 * exclusive grants in two columns: {@code grant_number} is the last of the reserved
 * numbers, and {@code closed_until} is negative. It is {@link #RENEWED} after the first
 * renewal, and before it the negative mark by which others
 * {@linkplain GrantReports#recalled recall} the grant.
 */
final class LingeringGrants extends ExclusiveGrants {

	private static final long RENEWED = -1;

	private final Change take;

	LingeringGrants(Sql sql, LockTable table) {
		super(sql, table);
		this.take = take(sql, " + " + Granted.RESERVED, "?", " - " + Granted.RESERVED);
	}

	@Override
	public @Nullable Long take(Session session, RowId id, Claim claim, long latest) throws SQLException {
		return this.sql.number(session, this.take, micros(claim.lease()), micros(claim.lockDelay()),
				-GrantReports.mark(claim), claim.owner().memberId(), claim.owner().token(), id.bytes(),
				claim.access().code(), latest);
	}

	/** Insert the row without an owner, because a key that lingers usually has one. */
	@Override
	public @Nullable Long insert(Session session, RowId id, Claim claim, long latest) throws SQLException {
		this.table.insert(session, id, claim.key(), null, latest);
		return take(session, id, claim, latest);
	}

	/** Extend leases, and store that the grants linger no longer. */
	@Override
	public Set<String> renew(Session session, RenewalBatch batch) throws SQLException {
		return this.sql.extend(session, "{table}", "id", "closed_until = %s, %s".formatted(RENEWED, EXTEND), batch);
	}

}
