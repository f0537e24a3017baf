package io.leasehold.engine;

import java.net.InetAddress;
import java.net.UnknownHostException;
import java.util.HexFormat;

/**
 * Identity of this application in this process in the store, and factory of owners. Each
 * application context is a separate member, also after a restart in the same JVM.
 * Thread-safe.
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
	 * @return a member with a unique id
	 */
	public static Member of(String application) {
		return new Member(application);
	}

	/**
	 * Return the unique id, printable ASCII without {@code /}.
	 * @return such as {@code shop@web-3:4711:0f3a5b…}
	 */
	public String id() {
		return this.identity.id();
	}

	/**
	 * Replace the identity after a restore of the process from a snapshot: several copies
	 * may continue, and must not share an id or owners. Earlier owners stay unchanged.
	 */
	public void renew() {
		this.identity = new MemberIdentity(newId());
	}

	private String newId() {
		return "%s@%s:%s:%s".formatted(this.application, Owner.printable(hostName(), 60), ProcessHandle.current().pid(),
				HexFormat.of().toHexDigits(MemberIdentity.RANDOM.nextLong()));
	}

	/** Create the owner of one claim for the current thread. It cannot be guessed. */
	public Owner newOwner() {
		return newOwner(Thread.currentThread().getName());
	}

	/**
	 * Create the owner of one claim.
	 * @param thread name of the thread that makes the claim
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
			return "localhost"; // for display only
		}
	}

}
