// @ts-check
// Plain JavaScript, so that it runs from the sources and from the build.
import { workerData } from 'node:worker_threads'

const { file, driver } = workerData
const { DatabaseSync } = await import(driver)
const database = new DatabaseSync(file, { enableForeignKeyConstraints: false })
// Does not wait for readers; the next checkpoint copies what they still need.
database.exec('pragma wal_checkpoint(passive)')
database.close()
