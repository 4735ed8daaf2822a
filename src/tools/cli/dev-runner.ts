import { type LoadService, runService } from '../dev/runner.ts'
import { importRouters } from '../import-routers.ts'
import { exportedOptions } from './exported-options.ts'
import { startOptions } from './start-options.ts'

const ofModule: LoadService = async (file, typed) => {
  const routers = await importRouters(file)
  const options = startOptions(file, typed, await exportedOptions(file), process.env)
  return { routers, options }
}

const ofData: LoadService = async (file, typed) => {
  const options = startOptions(file, typed, undefined, process.env)
  const { serveData } = await import('../guess/serve-data.ts')
  return { routers: [await serveData(file, typed.database)], options }
}

await runService((file, typed) => (file.endsWith('.json') ? ofData : ofModule)(file, typed))
