package io.leasehold.transaction;

import javax.sql.DataSource;

import io.leasehold.server.MySqlTestServer;

import org.springframework.jdbc.datasource.DriverManagerDataSource;

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
