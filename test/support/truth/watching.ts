let isWatching = true

/** Called before each test file. */
export function watchRouters(): void {
  isWatching = true
}

/** For a whole test file, called before its routers are created. */
export function leaveRoutersUnwatched(): void {
  isWatching = false
}

export const areRoutersWatched = (): boolean => isWatching
