package io.leasehold.autoconfigure;

import org.springframework.boot.context.properties.ConfigurationProperties;
import org.springframework.boot.jdbc.init.DatabaseInitializationProperties;

/**
 * Properties of the creation of the fence table.
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
