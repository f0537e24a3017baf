package io.leasehold.test.contract;

import java.util.ArrayList;
import java.util.List;

import io.leasehold.engine.LockEngine;
import io.leasehold.engine.Member;

/**
 * The address of a store, in a form that can be passed to another process.
 *
 * @param opener class with a constructor without parameters
 * @param arguments arguments of the opener, such as a port
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
		 * @param member the process that connects
		 * @param arguments arguments of the address
		 * @return an engine with separate connections
		 */
		LockEngine open(String namespace, Member member, List<String> arguments);

	}

	/**
	 * Connect to the store.
	 * @param namespace namespace of the locks
	 * @param member the process that connects
	 * @return an engine with separate connections
	 */
	public LockEngine open(String namespace, Member member) {
		return open(this.opener.getName(), namespace, member, this.arguments);
	}

	public static LockEngine open(String opener, String namespace, Member member, List<String> arguments) {
		try {
			return ((Opener) Class.forName(opener).getDeclaredConstructor().newInstance()).open(namespace, member,
					arguments);
		}
		catch (ReflectiveOperationException ex) {
			throw new IllegalStateException("%s cannot open an engine".formatted(opener), ex);
		}
	}

	/** Return this address as command-line arguments. */
	public List<String> commandLine(String namespace) {
		List<String> line = new ArrayList<>(List.of(this.opener.getName(), namespace));
		line.addAll(this.arguments);
		return line;
	}

}
