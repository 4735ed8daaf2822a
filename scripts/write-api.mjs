// Writes docs/api: the public names of each entry point, so that a change of them is seen.
import { mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { apiReport } from './api-report.mjs'

const { reports, missing } = apiReport()
if (missing.length > 0)
  throw new Error(`No entry point exports these types:\n${missing.join('\n')}`)
rmSync('docs/api', { recursive: true, force: true })
mkdirSync('docs/api', { recursive: true })
for (const [name, text] of reports) writeFileSync(`docs/api/${name}`, text)
