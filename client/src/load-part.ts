import { RiposteError } from '@riposte/shared';

/**
 * Loads a part of this package that not every page needs.
 *
 * @throws RiposteError `not-loaded`, with what to do; its `cause` is the loader's error.
 */
export async function loadPart<T>(load: () => Promise<T>): Promise<T> {
  try {
    return await load();
  } catch (cause) {
    const error = new RiposteError(
      'not-loaded',
      'A part of the game could not be loaded: it may have been updated, or the network is away. Reload the page.',
    );
    error.cause = cause;
    throw error;
  }
}
