#!/usr/bin/env node
import { checkCommand } from './check-command.ts'
import { planCommand } from './plan-command.ts'
import { runCommand } from './run-command.ts'

const commands = [checkCommand, planCommand]

process.exitCode = await runCommand(commands, process.argv.slice(2), {
  print: console.log,
  printError: console.error,
})
