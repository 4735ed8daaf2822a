import { FailingDisk, remount, unmount } from '../place.mjs'

/**
 * Read-only at the start, and while the service runs: Linux mounts a file system read-only after an
 * error of its disk, and it has to be mounted anew then.
 *
 * @param {import('../scenario.mjs').Scenario} scenario
 */
export async function readOnly(scenario) {
  const { data } = scenario.place
  const disk = new FailingDisk(data)
  disk.mount()
  await scenario.start()
  await scenario.writeAll(5)
  await scenario.stop()
  remount(data, 'ro')
  await scenario.refuseStart(/items\.db.*read-only file system/)
  remount(data, 'rw')
  await scenario.start()
  disk.fail()
  await scenario.sendDuring()
  await scenario.stop()
  disk.repair()
  await scenario.start()
  await scenario.expectRecovery()
  await scenario.expectNothingLost()
  unmount(data)
}
