import { RegistrationError } from '../../model/registration-error.ts'
import { processSecret, processSecretVariable } from '../../process/process-secret.ts'
import { workerVariable } from '../../process/worker-process.ts'

/** How a process runs the module of its primary. */
export interface WorkerProgram {
  readonly module: string
  readonly args: readonly string[]
  readonly env: NodeJS.ProcessEnv
}

/** @throws RegistrationError if this process runs no file */
export function workerProgram(): WorkerProgram {
  const [, module, ...args] = process.argv
  if (module === undefined)
    throw new RegistrationError(
      "The option 'workers' of serve() needs a module that each worker runs; start the program as a file: 'node main.js'.",
    )
  const env = { [workerVariable]: '1', [processSecretVariable]: processSecret() }
  return { module, args, env }
}
