/** The shortest that Patroni allows: `loopWaitS + 2 * retryTimeoutS` is at most `ttlS`. */
export const timings = { ttlS: 20, loopWaitS: 1, retryTimeoutS: 3 }

/**
 * @param {{ name: string, folder: string, programs: string, links: import('./machine.mjs').Links,
 * ports: { postgres: number, patroni: number } }} options
 * @returns {string} YAML, of which JSON is a part
 */
export function patroniConfiguration({ name, folder, programs, links, ports }) {
  const access = ['local all all trust', 'host all all 127.0.0.1/32 trust']
  const replication = 'host replication all 127.0.0.1/32 trust'
  return JSON.stringify({
    scope: 'reliability',
    name,
    restapi: address(ports.patroni, links.patroni.port),
    // Without `use_proxies`, it would ask etcd for addresses that no link leads to.
    etcd3: { hosts: links.etcd.map(({ port }) => `127.0.0.1:${port}`), use_proxies: true },
    bootstrap: {
      dcs: {
        ttl: timings.ttlS,
        loop_wait: timings.loopWaitS,
        retry_timeout: timings.retryTimeoutS,
        synchronous_mode: true,
        synchronous_mode_strict: true,
        // A server that was killed is not started again by itself before another one takes over.
        primary_start_timeout: 0,
        // A server that is cut off waits at its end for standbys. Patroni 3.0.2 starts it twice then,
        // and damages it.
        primary_stop_timeout: 5,
        postgresql: {
          use_pg_rewind: true,
          use_slots: true,
          parameters: {
            max_connections: 100,
            shared_buffers: '32MB',
            wal_keep_size: '64MB',
            wal_log_hints: 'on',
            wal_sender_timeout: '3s',
            wal_receiver_timeout: '3s',
            // After a promotion, the other standby looks for its primary as often.
            wal_retrieve_retry_interval: '500ms',
          },
        },
      },
      initdb: [{ encoding: 'UTF8' }, { locale: 'C.UTF-8' }, 'data-checksums'],
    },
    postgresql: {
      ...address(ports.postgres, links.standbys.port),
      data_dir: `${folder}/data`,
      bin_dir: programs,
      pgpass: `${folder}.pgpass`,
      pg_hba: [...access, replication],
      authentication: {
        superuser: { username: 'postgres' },
        replication: { username: 'postgres' },
      },
      parameters: { unix_socket_directories: '' },
      // Under load, any other checkpoint takes minutes: the machine is copied after that only.
      basebackup: [{ checkpoint: 'fast' }],
      remove_data_directory_on_rewind_failure: true,
      remove_data_directory_on_diverged_timelines: true,
    },
  })
}

/**
 * @param {number} port
 * @param {number} linkPort
 */
function address(port, linkPort) {
  return { listen: `127.0.0.1:${port}`, connect_address: `127.0.0.1:${linkPort}` }
}
