package io.leasehold.transaction;

class H2ReactiveCommitTests extends ReactiveCommitContract {

	private final String url = h2();

	@Override
	String url() {
		return this.url;
	}

}
