import { fill, free, mountSmall, unmount } from '../place.mjs'

/** @param {import('../scenario.mjs').Scenario} scenario */
export async function diskFull(scenario) {
  const { data } = scenario.place
  mountSmall(data)
  fill(data)
  await scenario.refuseStart(/full|no space/i)
  free(data)
  await scenario.start()
  await scenario.writeAll(5)
  fill(data)
  await scenario.sendDuring()
  free(data)
  await scenario.expectRecovery()
  await scenario.stop()
  await scenario.start()
  await scenario.expectNothingLost()
  unmount(data)
}
