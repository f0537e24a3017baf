package io.leasehold.engine;

import java.net.InetAddress;
import java.net.UnknownHostException;
import java.util.HexFormat;

/**
 * This application in this process, as operators see it in the store, and the maker of
 * owner tokens. Two application contexts in one JVM are two members, and so is one that
 * was stopped and started again. Thread-safe.
 */
public final class Member {

	private final String application;

	private volatile MemberIdentity identity;

	private Member(String application) {
		this.application = Owner.printable(application, 40);
		this.identity = new MemberIdentity(newId());
	}

	/**
	 * Create the member of an application in this process.
	 * @param application name of the application
	 * @return a member with an id of its own
	 */
	public static Member of(String application) {
		return new Member(application);
	}

	/**
	 * Return the id: unique, printable ASCII without {@code /}.
	 * @return such as {@code shop@web-3:4711:0f3a5b…}
	 */
	public String id() {
		return this.identity.id();
	}

	/**
	 * Become another member, whose id and owners no copy of this process has: several may
	 * go on from one snapshot. Owners that were made before stay what they are.
	 */
	public void renew() {
		this.identity = new MemberIdentity(newId());
	}

	private String newId() {
		return "%s@%s:%d:%s".formatted(this.application, Owner.printable(hostName(), 60), ProcessHandle.current().pid(),
				HexFormat.of().toHexDigits(MemberIdentity.RANDOM.nextLong()));
	}

	/**
	 * Make the owner of one claim for the current thread.
	 * @return an owner that cannot be guessed
	 */
	public Owner newOwner() {
		return newOwner(Thread.currentThread().getName());
	}

	/**
	 * Make the owner of one claim.
	 * @param thread name of the thread for which the claim is made
	 * @return an owner that cannot be guessed
	 */
	public Owner newOwner(String thread) {
		return new Owner(this.identity, thread);
	}

	private static String hostName() {
		String name = System.getenv("HOSTNAME");
		if (name != null && !name.isBlank()) {
			return name;
		}
		try {
			return InetAddress.getLocalHost().getHostName();
		}
		catch (UnknownHostException ex) {
			return "localhost"; // only for people to read
		}
	}

}
