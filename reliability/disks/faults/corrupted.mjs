import { closeSync, openSync, statSync, writeSync } from 'node:fs'
import { join } from 'node:path'
import { runCommand } from '../running-service.mjs'

/** Overwrites the middle of a file, but not its first page. @param {string} file */
function damage(file) {
  const { size } = statSync(file)
  const handle = openSync(file, 'r+')
  writeSync(handle, Buffer.alloc(size - 8_192, 0xa5), 0, size - 8_192, 4_096)
  closeSync(handle)
}

/** @param {import('../scenario.mjs').Scenario} scenario */
async function backUp(scenario) {
  const backup = `${scenario.place.data}-backup`
  const { code, output } = await runCommand('backup', scenario.place, backup)
  if (code !== 0) scenario.wrong.push(`the backup fails: ${output}`)
  return backup
}

/** @param {import('../scenario.mjs').Scenario} scenario @param {string} backup */
async function restore(scenario, backup) {
  const verified = await runCommand('restore', scenario.place, backup, '--verify')
  if (verified.code !== 0) scenario.wrong.push(`the backup is damaged: ${verified.output}`)
  const { code, output } = await runCommand('restore', scenario.place, backup, '--overwrite')
  scenario.figures.push(`restore: exit code ${code}`)
  if (code !== 0) scenario.wrong.push(`the restore fails: ${output}`)
}

/**
 * Bytes are overwritten while the service runs, and are so when it starts again.
 *
 * @param {import('../scenario.mjs').Scenario} scenario
 */
export async function corrupted(scenario) {
  await scenario.start()
  await scenario.writeAll(20)
  const backup = await backUp(scenario)
  // A restart empties the WAL and the cache of pages.
  await scenario.stop()
  await scenario.start()
  damage(join(scenario.place.data, 'items.db'))
  await scenario.sendDuring()
  await scenario.stop()
  await scenario.refuseStart(/items\.db.*(malformed|not a database).*restore/)
  await restore(scenario, backup)
  await scenario.start()
  await scenario.expectRecovery()
  await scenario.expectNothingLost()
}
