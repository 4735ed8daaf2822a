import { type Command, command } from './command.ts'
import { controlSocketOf, requestRestart } from './control-socket.ts'
import { expectPositionals } from './parse-arguments.ts'

/** `resourcery restart`: replaces the processes that serve a module. */
export const restartCommand: Command = command({
  name: 'restart',
  synopsis: 'restart <module>',
  summary: "replaces the processes of 'resourcery start', without a failed request",
  usage: `resourcery restart <module>

Replaces the processes that 'resourcery start <module> --workers=<n>' has started: new ones load
the module again, then the old ones finish their requests. Waits until they have ended.
Run it as the same user, with the same folder for temporary files.
Exits with 2 if no primary of the module runs, or if the new ones do not start; the old ones go on then.
`,
  options: {},
  run: async ({ positionals }) => {
    const [file] = expectPositionals(positionals, ['one module'])
    const startedAtMs = performance.now()
    await requestRestart(controlSocketOf(file))
    console.log(`Restarted in ${((performance.now() - startedAtMs) / 1_000).toFixed(1)} s.`)
    return 0
  },
})
