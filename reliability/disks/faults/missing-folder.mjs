import { mkdirSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

/**
 * At the start, a file is where the folder would be. Later the folder of blobs is gone, and comes
 * back; then it is empty, as a folder whose volume is not mounted.
 *
 * @param {import('../scenario.mjs').Scenario} scenario
 */
export async function missingFolder(scenario) {
  const { data } = scenario.place
  const blobs = join(data, 'blobs')
  const away = `${blobs}.away`
  writeFileSync(data, '')
  await scenario.refuseStart(/(ENOTDIR|EEXIST): .*'/)
  rmSync(data)
  await scenario.start()
  await scenario.writeAll(5)
  renameSync(blobs, away)
  await scenario.sendDuring()
  mkdirSync(blobs)
  await scenario.sendDuring()
  rmSync(blobs, { recursive: true })
  renameSync(away, blobs)
  await scenario.expectRecovery()
  await scenario.expectNothingLost()
}
