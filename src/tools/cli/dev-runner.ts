import { runService } from '../dev/runner.ts'
import { importRouters } from '../import-routers.ts'
import { exportedOptions } from './exported-options.ts'
import { startOptions } from './start-options.ts'

await runService(async (file, typed) => {
  const routers = await importRouters(file)
  const options = startOptions(file, typed, await exportedOptions(file), process.env)
  return { routers, options }
})
