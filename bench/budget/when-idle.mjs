import { setTimeout as wait } from 'node:timers/promises'

/** A store begins to check the values that it has so long after its start. */
const MS_BEFORE_CHECK = 11_000
const MS_OF_LOOK = 500

/**
 * Waits until the service has checked the values that it stores. It does so once, and the copies of
 * its data are then measured without it.
 *
 * @param {import('../harness/servers.mjs').Server} server with the meter
 */
export async function whenIdle(server) {
  await wait(MS_BEFORE_CHECK)
  for (;;) {
    await server.ask('calls')
    await wait(MS_OF_LOOK)
    const { calls } = /** @type {{ calls?: number }} */ (await server.ask('calls'))
    if (calls === 0) return
  }
}
