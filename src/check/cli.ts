#!/usr/bin/env node
import type { check as Check, CheckOptions } from './check.ts'
import { checkServices } from './check-services.ts'
import { parseCommand } from './cli-arguments.ts'
import { openServices } from './open-services.ts'

const usage = `resourcery check <module or URL>

Tests a running service against its OpenAPI document. Expects the URL of the document, or a
module that exports a router. It creates, changes and deletes items.
Exits with 1 after a violation, or if no request succeeded; with 2 if it cannot check.

  --runs <n>         requests per strategy (valid, broken, hostile) and operation (100)
  --seed <n>         repeats the requests of an earlier run
  --only <ids>       operation ids, separated by commas
  --timeout <ms>     maximum time for one response, in milliseconds (10000)
  --header <n: v>    header of every request; may be repeated
`

try {
  process.exitCode = await run(process.argv.slice(2))
} catch (error) {
  console.error((error as Error).message)
  process.exitCode = 2
}

async function run(args: readonly string[]): Promise<number> {
  const command = parseCommand(args)
  switch (command.kind) {
    case 'help':
      console.log(usage)
      return 0
    case 'usage problem':
      console.error(`${command.message}\n\n${usage}`)
      return 2
    case 'check':
      return runCheck(command.target, command.options)
  }
}

async function runCheck(name: string, options: CheckOptions): Promise<number> {
  const check = await loadCheck()
  const { services, close } = await openServices(name)
  try {
    return await checkServices(check, services, options, console.log)
  } finally {
    await close()
  }
}

/** The check needs optional packages, which may not be installed. */
async function loadCheck(): Promise<typeof Check> {
  try {
    return (await import('./check.ts')).check
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ERR_MODULE_NOT_FOUND') throw error
    throw new Error(
      "Missing packages for the check. Run 'npm install --save-dev fast-check ajv ajv-formats'.",
      {
        cause: error,
      },
    )
  }
}
