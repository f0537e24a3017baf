package io.leasehold.test.contract;

import java.util.ArrayList;
import java.util.List;

import io.leasehold.engine.LockEngine;
import io.leasehold.engine.Member;

/**
 * Where a store is and how to reach it, in words that another process understands.
 *
 * @param opener class with a constructor without parameters
 * @param arguments what the opener needs, such as a port
 */
public record EngineAddress(Class<? extends Opener> opener, List<String> arguments) {

	/**
	 * Connects to a store.
	 */
	@FunctionalInterface
	public interface Opener {

		/**
		 * Connect to a store.
		 * @param namespace namespace of the locks
		 * @param member who connects
		 * @param arguments of the address
		 * @return an engine with connections of its own
		 */
		LockEngine open(String namespace, Member member, List<String> arguments);

	}

	/**
	 * Connect to the store.
	 * @param namespace namespace of the locks
	 * @param member who connects
	 * @return an engine with connections of its own
	 */
	public LockEngine open(String namespace, Member member) {
		return open(this.opener.getName(), namespace, member, this.arguments);
	}

	static LockEngine open(String opener, String namespace, Member member, List<String> arguments) {
		try {
			return ((Opener) Class.forName(opener).getDeclaredConstructor().newInstance()).open(namespace, member,
					arguments);
		}
		catch (ReflectiveOperationException ex) {
			throw new IllegalStateException("%s cannot open an engine".formatted(opener), ex);
		}
	}

	/** As arguments of a command line. */
	List<String> commandLine(String namespace) {
		List<String> line = new ArrayList<>(List.of(this.opener.getName(), namespace));
		line.addAll(this.arguments);
		return line;
	}

}
