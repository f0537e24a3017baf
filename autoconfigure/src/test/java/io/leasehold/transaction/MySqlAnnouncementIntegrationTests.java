package io.leasehold.transaction;

import javax.sql.DataSource;

import org.junit.jupiter.api.Tag;

import io.leasehold.server.MySqlTestServer;

import org.springframework.jdbc.datasource.DriverManagerDataSource;

@Tag("full")
class MySqlAnnouncementIntegrationTests extends AnnouncementContract {

	@Override
	DataSource dataSource() {
		return new DriverManagerDataSource(MySqlTestServer.shared().url() + "&useAffectedRows=true");
	}

	@Override
	String platform() {
		return "mysql";
	}

}
