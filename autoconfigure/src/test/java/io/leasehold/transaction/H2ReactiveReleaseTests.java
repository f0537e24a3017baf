package io.leasehold.transaction;

class H2ReactiveReleaseTests extends ReactiveReleaseContract {

	private final String url = h2();

	@Override
	String url() {
		return this.url;
	}

}
