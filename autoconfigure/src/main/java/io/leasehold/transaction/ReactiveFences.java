package io.leasehold.transaction;

import java.util.ArrayList;
import java.util.List;

import io.r2dbc.spi.ConnectionFactory;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;
import reactor.util.context.Context;
import reactor.util.context.ContextView;

/**
 * Fences of a subscription in one database, to be compared before a commit.
 */
record ReactiveFences(ConnectionFactory database, R2dbcFenceTable table, List<Fence> fences) {

	/** Return the fences of a subscription, innermost first. */
	static List<ReactiveFences> in(ContextView context) {
		List<ReactiveFences> all = context.getOrDefault(ReactiveFences.class, null);
		return (all != null) ? all : List.of();
	}

	/** Add these fences to a context as its innermost ones. */
	Context addTo(Context context) {
		List<ReactiveFences> all = new ArrayList<>();
		all.add(this);
		all.addAll(in(context));
		return context.put(ReactiveFences.class, List.copyOf(all));
	}

	/** Compare the tokens as the last statements of a transaction. */
	Mono<Void> compare(GuardedConnection connection) {
		if (connection.database() != this.database) {
			return Mono.error(this.fences.get(0).otherDatabase());
		}
		return Flux.fromIterable(this.fences).concatMap((fence) -> this.table.compare(fence, connection)).then();
	}

}
