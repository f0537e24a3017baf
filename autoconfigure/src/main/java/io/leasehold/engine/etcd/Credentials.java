package io.leasehold.engine.etcd;

/**
 * User and password.
 */
record Credentials(String user, String password) {

	JsonObject request() {
		return JsonObject.of("name", this.user).with("password", this.password);
	}

	/** Return the user only: this text may be logged. */
	@Override
	public String toString() {
		return this.user;
	}

}
