package io.leasehold.autoconfigure;

import org.springframework.boot.context.properties.ConfigurationProperties;
import org.springframework.boot.jdbc.init.DatabaseInitializationProperties;

/**
 * How the fence table comes into being.
 */
@ConfigurationProperties("leasehold.fencing")
class FencingProperties extends DatabaseInitializationProperties {

	FencingProperties() {
		setContinueOnError(false);
	}

	@Override
	public String getDefaultSchemaLocation() {
		return "classpath:io/leasehold/transaction/migration/@@platform@@/R__leasehold_fence.sql";
	}

}
