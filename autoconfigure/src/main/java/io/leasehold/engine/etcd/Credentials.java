package io.leasehold.engine.etcd;

/**
 * User and password.
 */
record Credentials(String user, String password) {

	Message request() {
		return Message.of(1, this.user).with(2, this.password);
	}

	/** Return the user only: this text may be logged. */
	@Override
	public String toString() {
		return this.user;
	}

}
