import { RegistrationError } from '../../model/registration-error.ts'

let isClaimed = false

/**
 * Lets one `serve` of a process have workers: each of them runs the whole module, and so would
 * start the workers of the other one.
 * @returns releases the claim
 * @throws RegistrationError if another `serve` has workers
 */
export function claimWorkers(): () => void {
  if (isClaimed)
    throw new RegistrationError(
      "Another serve() of this process has 'workers', which run the whole module; expected one. Serve all services by one call, or start the other program by itself.",
    )
  isClaimed = true
  return () => {
    isClaimed = false
  }
}
