#!/usr/bin/env node
import { backupCommand } from './backup-command.ts'
import { checkCommand } from './check-command.ts'
import { clientCommand } from './client-command.ts'
import { consumersCommand } from './consumers-command.ts'
import { copyCommand } from './copy-command.ts'
import { devCommand } from './dev-command.ts'
import { eraseCommand } from './erase-command.ts'
import { exportCommand } from './export-command.ts'
import { importCommand } from './import-command.ts'
import { jobsCommand } from './jobs-command.ts'
import { planCommand } from './plan-command.ts'
import { pruneCommand } from './prune-command.ts'
import { pullCommand } from './pull-command.ts'
import { renameLogCommand } from './rename-log-command.ts'
import { restartCommand } from './restart-command.ts'
import { restoreCommand } from './restore-command.ts'
import { runCommand } from './run-command.ts'
import { startCommand } from './start-command.ts'

const commands = [
  devCommand,
  startCommand,
  restartCommand,
  checkCommand,
  planCommand,
  pruneCommand,
  consumersCommand,
  jobsCommand,
  pullCommand,
  clientCommand,
  exportCommand,
  importCommand,
  copyCommand,
  backupCommand,
  restoreCommand,
  eraseCommand,
  renameLogCommand,
]

const exitCode = await runCommand(commands, process.argv.slice(2), {
  print: console.log,
  printError: console.error,
})
for (const stream of [process.stdout, process.stderr])
  await new Promise((resolve) => stream.write('', resolve))
// A module that serves, or has timers, would keep the process.
process.exit(exitCode)
