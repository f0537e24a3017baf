package io.leasehold.transaction;

class H2ReactiveFencingTests extends ReactiveFencingContract {

	private final String url = h2();

	@Override
	String url() {
		return this.url;
	}

	@Override
	String platform() {
		return "h2";
	}

}
