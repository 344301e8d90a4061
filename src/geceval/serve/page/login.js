'use strict';

byId('login').addEventListener('submit', async (event) => {
  event.preventDefault();
  problem();
  try {
    await api('/session', { method: 'POST', json: { token: byId('token').value } });
    location.assign('/');
  } catch (error) {
    problem(error.message);
  }
});
